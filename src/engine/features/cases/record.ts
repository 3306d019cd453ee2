import { z } from 'zod';
import {
  CASE_FORMAT,
  type CaseCall,
  type CaseDocument,
  type CaseExpectation,
  type CaseTool,
  MAX_DESCRIPTION_UNITS,
  orderedDocument,
} from '../../../cases/document.ts';
import type { McpSelectionValue, ReportRow } from '../../../db/entities/index.ts';
import type { QualityRating } from '../../../db/enums.ts';
import type { Queryable } from '../../../db/queryable.ts';
import { parseArguments } from '../../../mcp/parameters.ts';

/** The parts of a session that a case takes, apart from tools and calls. Every text is stored masked. */
export interface RecordedSession {
  id: string;
  team: string | null;
  status: string;
  alertType: string;
  alertData: string;
  startedAt: Date | null;
  createdAt: Date;
  rating: QualityRating | null;
  mcpSelection: McpSelectionValue | null;
  runbook: string | null;
  report: Pick<ReportRow, 'verdict' | 'entities'> | null;
}

/** Returns a session with its runbook and report; `null` if it does not exist. */
export async function readRecordedSession(db: Queryable, sessionId: string): Promise<RecordedSession | null> {
  const { rows } = await db.query<RecordedSession>(
    `select s.id, s.team, s.status, s.alert_type as "alertType", s.alert_data as "alertData",
       s.started_at as "startedAt", s.created_at as "createdAt", s.rating, s.mcp_selection as "mcpSelection",
       b.content as runbook,
       (select json_build_object('verdict', r.verdict, 'entities', r.entities) from reports r where r.session_id = s.id) as report
     from alert_sessions s left join session_runbooks b on b.session_id = s.id
     where s.id = $1 and s.deleted_at is null`,
    [sessionId],
  );
  return rows[0] ?? null;
}

/** Returns what a right answer holds, as far as a review shows: an accurate report gives verdict and entities. */
export function expectationOf({ rating, report }: RecordedSession): CaseExpectation {
  const empty = { must_say: [], must_not_say: [], entities: [], causes: [] };
  if (report === null || rating !== 'ACCURATE') return empty;
  return { ...empty, verdict: report.verdict, entities: report.entities };
}

/** Makes a case of a session: alert, runbook, offered tools and calls, as they are stored. */
export async function recordCase(
  db: Queryable,
  session: RecordedSession,
  { name, expect, runbook }: { name: string; expect: CaseExpectation; runbook: string | null },
): Promise<CaseDocument> {
  const calls = await readCalls(db, session.id);
  const tools = withCalled(await readTools(db, session.id), calls);
  const servers = session.mcpSelection?.servers;
  return orderedDocument({
    format: CASE_FORMAT,
    name,
    world: 'open',
    alert_type: session.alertType,
    recorded_at: (session.startedAt ?? session.createdAt).toISOString(),
    ...(servers && { mcp_selection: { servers } }),
    expect,
    max_unrecorded_calls: 5,
    alert: session.alertData,
    ...(runbook !== null && { runbook }),
    tools,
    calls,
  });
}

const hint = z.boolean().nullish();
const offered = z.looseObject({
  name: z.string(),
  description: z.string().catch(''),
  inputSchema: z.record(z.string(), z.unknown()).optional().catch(undefined),
  annotations: z
    .looseObject({ readOnly: hint, destructive: hint, idempotent: hint, openWorld: hint })
    .optional()
    .catch(undefined),
});

/** Returns the tools that agents were offered, the last definition of each. Older sessions stored no schemas. */
async function readTools(db: Queryable, sessionId: string): Promise<CaseTool[]> {
  const { rows } = await db.query<{ server: string; tool: unknown }>(
    `select m.server_name as server, t.tool from mcp_interactions m
     cross join jsonb_array_elements(m.available_tools) t (tool)
     where m.session_id = $1 and m.type = 'TOOL_LIST' and m.server_name <> 'tarsy'
       and jsonb_typeof(m.available_tools) = 'array'
     order by m.created_at, m.id`,
    [sessionId],
  );
  const tools = new Map<string, CaseTool>();
  for (const { server, tool } of rows) {
    const parsed = offered.safeParse(tool);
    if (!parsed.success) continue;
    const { name: full, description, inputSchema = { type: 'object' }, annotations } = parsed.data;
    const name = full.slice(server.length + 1);
    const hints = annotations && {
      ...(annotations.readOnly != null && { read_only: annotations.readOnly }),
      ...(annotations.destructive != null && { destructive: annotations.destructive }),
      ...(annotations.idempotent != null && { idempotent: annotations.idempotent }),
      ...(annotations.openWorld != null && { open_world: annotations.openWorld }),
    };
    const isHinted = hints && Object.keys(hints).length > 0;
    tools.set(full, {
      server,
      name,
      description: description.slice(0, MAX_DESCRIPTION_UNITS),
      input_schema: inputSchema,
      ...(isHinted && { annotations: hints }),
    });
  }
  return [...tools.values()].sort(byName);
}

/** Adds the tools that were called without being listed, such as those that an agent searched for. */
function withCalled(tools: readonly CaseTool[], calls: readonly CaseCall[]): CaseTool[] {
  const known = new Set(tools.map(({ server, name }) => `${server}.${name}`));
  const added = new Map<string, CaseTool>();
  for (const { server, tool: name } of calls)
    if (!known.has(`${server}.${name}`))
      added.set(`${server}.${name}`, { server, name, description: '', input_schema: { type: 'object' } });
  return [...tools, ...added.values()].sort(byName);
}

const byName = (a: CaseTool, b: CaseTool) => (`${a.server}.${a.name}` < `${b.server}.${b.name}` ? -1 : 1);

interface CallRow {
  agent: string;
  server: string;
  tool: string;
  arguments: unknown;
  text: string | null;
  failed: boolean | null;
  durationMs: number;
}

/** Returns the calls of the investigation in order, without those of answers to questions. */
async function readCalls(db: Queryable, sessionId: string): Promise<CaseCall[]> {
  const { rows } = await db.query<CallRow>(
    `select e.agent_name as agent, m.server_name as server, m.tool_name as tool, m.arguments,
       m.result ->> 'content' as text, (m.result ->> 'isError')::boolean as failed, m.duration_ms as "durationMs"
     from mcp_interactions m join agent_executions e on e.id = m.execution_id join stages s on s.id = m.stage_id
     where m.session_id = $1 and m.type = 'TOOL_CALL' and m.server_name not in ('', 'tarsy') and s.type <> 'CHAT'
       and m.tool_name <> '' and m.result is not null
     order by m.created_at, m.id`,
    [sessionId],
  );
  return rows.map(({ agent, server, tool, arguments: args, text, failed, durationMs }) => ({
    agent,
    server,
    tool,
    arguments: asArguments(args),
    error: failed === true,
    duration_ms: durationMs,
    output: text ?? '',
  }));
}

/** Returns stored arguments as an object. Arguments that were no JSON are stored as the model's text. */
export function asArguments(stored: unknown): Record<string, unknown> {
  if (typeof stored === 'object' && stored !== null && !Array.isArray(stored))
    return stored as Record<string, unknown>;
  return parseArguments(typeof stored === 'string' ? stored : JSON.stringify(stored ?? {}));
}
