import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { toolsServer } from '../helpers/config.ts';
import { hostileServer } from '../helpers/mcp/executor.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/**
 * Tests that the MCP servers and tools that an alert selects are checked on submission, and again when agents
 * connect.
 */
let app: TestApp;
let api: ApiClient;
let sql: pg.Client;

beforeAll(async () => {
  const { transport } = hostileServer('away', ['--exit-init']);
  app = await startTestApp({
    system: { mcp_health: { interval: '100ms' } },
    mcpServers: { away: { transport }, other: toolsServer() },
    agents: { TestAgent: { mcp_servers: ['tools', 'away'] } },
  });
  api = apiClient(app.url);
  sql = new pg.Client({ connectionString: app.database.url });
  await sql.connect();
  await known();
});
afterAll(async () => {
  await sql?.end();
  await app?.stop();
});

const SUBMIT = `mutation ($input: SubmitAlertInput!) { submitAlert(input: $input) { __typename
  ... on SubmitAlertSuccess { session { id mcpSelection } } ... on ValidationError { code field message } } }`;

interface Answer {
  __typename: string;
  field?: string;
  message?: string;
}
const submit = async (servers: unknown[], nativeTools?: unknown) =>
  (
    await api.query<{ submitAlert: Answer }>(SUBMIT, {
      input: { data: 'which tools?', mcp: { servers, nativeTools } },
    })
  ).submitAlert;
/** Waits until the API knows the server's tools. Until then, the API accepts an alert with unknown tools. */
const known = () =>
  vi.waitUntil(
    async () => {
      const { mcpServers } = await api.query<{ mcpServers: { id: string; tools: { name: string }[] }[] }>(
        '{ mcpServers { id tools { name } } }',
      );
      return mcpServers.find(({ id }) => id === 'tools')?.tools.some(({ name }) => name === 'echo');
    },
    { timeout: 20_000 },
  );
const stored = async () => (await sql.query('select 1 from alert_sessions')).rowCount;

test.each<[what: string, servers: unknown[], field: string, message: RegExp]>([
  [
    'a server that is not configured',
    [{ name: 'tools' }, { name: 'nope' }],
    'mcp.servers.1.name',
    /"nope".*tools/,
  ],
  [
    'a server outside the chain',
    [{ name: 'tools' }, { name: 'other' }],
    'mcp.servers.1.name',
    /cannot choose the MCP server "other": it may choose from tools, away\..*system\.mcp_selection/,
  ],
  ['a server selected twice', [{ name: 'tools' }, { name: 'tools' }], 'mcp.servers.1.name', /twice/],
  [
    'an unknown tool of the server',
    [{ name: 'tools', tools: ['echo', 'dig'] }],
    'mcp.servers.0.tools.1',
    /"tools" has no tool "dig"\. Available tools: echo, count_lines, note, fail, hang\./,
  ],
  [
    'a tool named like an object prototype property',
    [{ name: 'tools', tools: ['__proto__'] }],
    'mcp.servers.0.tools.0',
    /no tool/,
  ],
  [
    'an impossible tool name on a server with unknown tools',
    [{ name: 'away', tools: ['a\0b'] }],
    'mcp.servers.0.tools.0',
    /no tool "a\?b"/,
  ],
  [
    'more tools than any server has',
    [{ name: 'away', tools: Array.from({ length: 1001 }, (_, n) => `t${n}`) }],
    'mcp.servers.0.tools',
    /At most 1000/,
  ],
])('refuses %s and stores nothing', async (_, servers, field, message) => {
  const before = await stored();
  const answer = await submit(servers);
  expect(answer).toMatchObject({ __typename: 'ValidationError', code: 'VALIDATION', field });
  expect(answer.message).toMatch(message);
  expect(await stored()).toBe(before);
});

test('an alert cannot enable a native model tool that is disabled', async () => {
  const before = await stored();
  const answer = await submit([{ name: 'tools' }], { codeExecution: false, urlContext: true });
  expect(answer).toMatchObject({
    __typename: 'ValidationError',
    field: 'mcp.nativeTools.urlContext',
    message: expect.stringMatching(/cannot switch on url_context.*native_tools.*system\.mcp_selection/),
  });
  expect(await stored()).toBe(before);
});

/**
 * Runs an investigation with these servers and calls. Returns the messages about the servers and the calls'
 * results.
 */
async function investigate(servers: unknown[], ...calls: ReturnType<typeof toolCall>[]) {
  const asked = app.llm.requests.length;
  app.llm.script(calls, { text: 'Understood.' }, { text: 'In short: understood.' });
  const id = await api.submit('which tools?', { mcp: { servers } });
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
  const { session } = await api.query<{ session: { timeline: { content: string }[] } }>(
    'query ($id: ID!) { session(id: $id) { timeline(types: [LLM_TOOL_CALL]) { content } } }',
    { id },
  );
  const first = app.llm.requests[asked]!;
  return {
    offered: first.tools.map(({ name }) => name).filter((name) => !name.startsWith('tarsy.')),
    prompt: JSON.stringify(first.messages),
    contents: session.timeline.map(({ content }) => content),
  };
}

test('offers and executes only selected tools', async () => {
  const seen = await investigate(
    [{ name: 'tools', tools: ['echo'] }],
    toolCall('tools.echo', { text: 'hi' }),
    toolCall('tools.note', { text: 'no' }),
  );
  expect(seen.offered).toEqual(['tools.echo']);
  expect(seen.contents).toEqual(['echo: hi', expect.stringContaining('Unknown tool "tools.note"')]);
});

test('names a selected server that cannot be reached to the model', async () => {
  const seen = await investigate(
    [{ name: 'away', tools: ['echo'] }, { name: 'tools' }],
    toolCall('away.echo', { text: 'hi' }),
  );
  expect(seen.offered).toContain('tools.note');
  expect(seen.prompt).toContain('the server exited with code 7');
  expect(seen.contents[0]).toContain('MCP server "away" is unavailable');
});

test('reports tools that a server has removed since', async () => {
  onTestFinished(async () => {
    await sql.query(`update mcp_server_health set lease_until = now() where id = 'tools'`);
    await known();
  });
  const tools = JSON.stringify([{ name: 'lost', description: null, inputSchema: {} }]);
  await sql.query(
    `insert into mcp_server_health (id, checked_by, lease_until, healthy, tools)
     values ('tools', 'another', now() + interval '1 hour', true, $1)
     on conflict (id) do update set checked_by = 'another', lease_until = excluded.lease_until, tools = excluded.tools`,
    [tools],
  );
  const seen = await investigate([{ name: 'tools', tools: ['lost'] }], toolCall('tools.lost'));
  expect(seen.offered).toEqual([]);
  expect(seen.prompt).toContain('none of the tools that the alert chose');
});

test('an empty list of tools selects none of them', async () => {
  const seen = await investigate([{ name: 'tools', tools: [] }], toolCall('tools.echo', { text: 'hi' }));
  expect(seen.offered).toEqual([]);
  expect(seen.contents[0]).toContain('No tools are available');
});

test('does not offer tools that the configuration no longer allows, whatever was stored', async () => {
  await sql.query(`create or replace function widen() returns trigger language plpgsql as $$ begin
    new.mcp_selection := '{"servers":[{"name":"other","tools":null},{"name":"tools","tools":["echo"]}]}'; return new; end $$;
    create trigger widen before insert on alert_sessions for each row execute function widen()`);
  const seen = await investigate([{ name: 'tools' }], toolCall('other.echo', { text: 'hi' }));
  await sql.query('drop trigger widen on alert_sessions');
  expect(seen.offered).toEqual(['tools.echo']);
  expect(seen.contents[0]).toContain('Unknown tool');
});

test('selecting no server leaves the agents without tools', async () => {
  const seen = await investigate([], toolCall('tools.echo', { text: 'hi' }));
  expect(seen.offered).toEqual([]);
  expect(seen.contents[0]).toContain('No tools are available');
});
