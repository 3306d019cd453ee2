import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DocumentNode, Kind, OperationTypeNode, parse, print, separateOperations } from 'graphql';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, globalId, insertRow, insertSession, openApi } from '../../test/helpers/http-api.ts';

/** Numbers of rows to compare. No document of our clients may need more statements for MANY rows than for FEW. */
const FEW = 3;
const MANY = 30;
const ROOT = join(import.meta.dirname, '../..');
const SERVERS = Array.from({ length: MANY }, (_, n) => `server-${n}`);

let api: Api;
let filled: Variables;
let servers: string[] = [];
beforeAll(async () => {
  api = await openApi(
    { listRunbooks: async () => [] },
    {
      mcpServers: {
        get servers() {
          return servers.map((id) => ({ id, monitored: true }));
        },
        defaults: () => servers,
        selectable: () => servers,
      },
    },
  );
});
afterAll(() => api.close());

/** Ids from which the variables of the documents are made. */
interface Variables {
  ids: string[];
  session: string;
  llm: string;
  mcp: string;
}

const documents = new Map<string, string>();
for (const [name, document] of Object.entries(queriesOf(dashboardDocuments()))) documents.set(name, document);
documents.set('the trace that docs/examples reads', exampleTrace());

const costs = { few: new Map<string, string[]>(), many: new Map<string, string[]>() };
beforeAll(async () => {
  await measure(FEW, costs.few);
  await measure(MANY, costs.many);
});

test.each([...documents.keys()])('%s needs as many statements for many rows as for few', (name) => {
  expect(costs.few.get(name)).toBeDefined();
  expect(costs.many.get(name)).toEqual(costs.few.get(name));
});

/** Stores the SQL statements that each document causes, without their values. */
async function measure(rows: number, statements: Map<string, string[]>): Promise<void> {
  await fill(rows);
  for (const [name, document] of documents) {
    api.statements.length = 0;
    const { data, errors } = await api.query<object>(document, variablesOf(name));
    expect(errors, name).toBeUndefined();
    // Checks that the document returns all rows, because the comparison proves nothing otherwise.
    if (LISTS.has(name)) expect(longestList(data), name).toBe(rows);
    statements.set(name, api.statements.map(({ sql }) => sql.replace(/\s+/g, ' ')).sort());
  }
}

/** Names of documents whose answers contain a list with all rows. */
const LISTS = new Set([
  'SessionRows',
  'SessionHistory',
  'SessionSnapshot',
  'TracePage',
  'WholeTrace',
  'LlmDetail',
  'AlertGroups',
  'SystemWarnings',
  'McpServers',
  'UsualTools',
  'the trace that docs/examples reads',
]);

function longestList(value: unknown): number {
  if (Array.isArray(value)) return Math.max(value.length, ...value.map(longestList));
  if (typeof value !== 'object' || value === null) return 0;
  return Math.max(0, ...Object.values(value).map(longestList));
}

function variablesOf(name: string): Record<string, unknown> {
  if (name === 'SessionHistory')
    return {
      first: 100,
      searching: true,
      filter: { search: 'disk almost', createdAfter: '2020-01-01T00:00:00Z' },
    };
  if (name === 'AlertGroups') return { first: 100 };
  if (name === 'SilencePreview') return { matchers: ['source="prod"'] };
  if (name === 'UsagePage') return { from: '2026-01-01T00:00:00Z', to: '2026-12-31T00:00:00Z', by: 'MODEL' };
  if (name === 'SessionCounts') return { by: 'STATUS', filter: { search: 'disk almost' } };
  const ids = filled.ids.map((session) => globalId('Session', session));
  if (name === 'CompareSessions') return { ids: ids.slice(0, 2) };
  const id = { LlmDetail: filled.llm, McpDetail: filled.mcp }[name] ?? globalId('Session', filled.session);
  return {
    id,
    ids,
    includeEnded: true,
    includeDeprecated: true,
    format: 'MARKDOWN',
  };
}

function dashboardDocuments(): DocumentNode {
  const files = globSync('web/src/**/*.graphql', { cwd: ROOT });
  return parse(files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n'));
}

function queriesOf(all: DocumentNode): Record<string, string> {
  const separate = Object.entries(separateOperations(all)).filter(([, document]) =>
    document.definitions.some(
      (definition) =>
        definition.kind === Kind.OPERATION_DEFINITION && definition.operation === OperationTypeNode.QUERY,
    ),
  );
  return Object.fromEntries(separate.map(([name, document]) => [name, print(document)]));
}

function exampleTrace(): string {
  const example = readFileSync(join(ROOT, 'docs/examples/investigate.mjs'), 'utf8');
  return example.match(/`(query [^`]*trace [^`]*)`/)![1]!;
}

/** Inserts `rows` sessions, warnings and servers. The last session has `rows` of each child object. */
async function fill(rows: number): Promise<void> {
  const { pool } = api;
  await pool.query('truncate alert_sessions, alert_groups, system_warnings, mcp_server_health cascade');
  servers = SERVERS.slice(0, rows);
  const ids: string[] = [];
  for (let n = 0; n < rows; n++) {
    ids.push(
      await insertSession(pool, {
        alert_type: `type ${n}`,
        author: `user ${n}`,
        status: n % 2 && n < rows - 1 ? 'IN_PROGRESS' : 'PENDING',
      }),
    );
    await insertRow(pool, 'system_warnings', { category: 'x', key: String(n), message: 'm' });
    await insertGroup(pool, n);
    await insertRow(pool, 'mcp_server_health', {
      id: servers[n],
      healthy: true,
      tools: '[]',
      checked_by: 'test',
      lease_until: new Date(),
      last_checked_at: new Date(),
    });
  }
  const session = ids.at(-1)!;
  const chat = await insertRow(pool, 'chats', { session_id: session });
  const last = await fillSession(pool, session, chat, rows);
  for (const id of ids)
    await pool.query('update alert_sessions set current_stage_id = $1 where id = $2', [last.stage, id]);
  filled = { ids, session, llm: last.llm, mcp: last.mcp };
}

/** Inserts a group with one alert and two intake decisions about it. */
async function insertGroup(pool: Pool, n: number): Promise<void> {
  const now = new Date();
  const what = { source: 'prod', title: 't', severity: 'ERROR', state: 'FIRING' };
  const group_id = await insertRow(pool, 'alert_groups', {
    ...what,
    ...{ group_key: `g${n}`, alert_type: 'test', opened_at: now, last_received_at: now },
  });
  const times = { starts_at: now, first_received_at: now, last_received_at: now };
  const alert = { ...what, group_id, fingerprint: `f${n}`, labels: '{}', annotations: '{}', ...times };
  const alert_id = await insertRow(pool, 'alerts', alert);
  for (const outcome of ['DUPLICATE', 'EXCLUDED'])
    await insertRow(pool, 'intake_decisions', { source: 'prod', outcome, reason: 'r', group_id, alert_id });
}

async function fillSession(pool: Pool, session: string, chat: string, rows: number) {
  const owner = { session_id: session };
  let [stage, llm, mcp] = ['', '', ''];
  for (let n = 1; n <= rows; n++) {
    const chat_message_id = await insertRow(pool, 'chat_user_messages', {
      chat_id: chat,
      author: 'a',
      content: 'q',
    });
    stage = await insertRow(pool, 'stages', { ...owner, name: 's', index: n, type: 'CHAT', chat_message_id });
    const execution_id = await insertRow(pool, 'agent_executions', {
      ...owner,
      stage_id: stage,
      agent_name: 'A',
      agent_index: 1,
      iteration_strategy: 'LANGCHAIN',
    });
    const work = { ...owner, stage_id: stage, execution_id };
    await insertRow(pool, 'timeline_events', {
      ...work,
      sequence_number: n,
      type: 'LLM_RESPONSE',
      status: 'COMPLETED',
    });
    for (let sequence_number = 1; sequence_number <= (n === rows ? rows : 1); sequence_number++)
      await insertRow(pool, 'messages', { ...work, sequence_number, role: 'USER', content: 'm' });
    const call = { provider: 'p', model_name: 'm', duration_ms: 1, request: '{}', response: '{}' };
    llm = await insertRow(pool, 'llm_interactions', {
      ...work,
      ...call,
      type: 'ITERATION',
      last_message_sequence: rows,
    });
    await insertRow(pool, 'llm_interactions', { ...owner, ...call, type: 'EXECUTIVE_SUMMARY' });
    mcp = await insertRow(pool, 'mcp_interactions', {
      ...work,
      type: 'TOOL_CALL',
      server_name: 'h',
      duration_ms: 1,
    });
  }
  return { stage, llm, mcp };
}
