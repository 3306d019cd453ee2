import type { AgentExecutionRow, MessageRow, StageRow, ToolCallValue } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import { decodeRow } from '../live/event-log.ts';

/** What an earlier run of a session left: nothing on the first. A run goes on from here. */
export interface Progress {
  /** By the stage's index. */
  stages: ReadonlyMap<number, StageProgress>;
  /** The executive summary, where it was completed. */
  summary: string | null;
}

export interface StageProgress {
  row: StageRow;
  /** By the agent's index, without sub-agents. */
  executions: ReadonlyMap<number, ExecutionProgress>;
  /** By the execution of the agent whose they are, in the order in which they got their tasks. */
  subAgents: ReadonlyMap<string, readonly ExecutionProgress[]>;
}

export interface ExecutionProgress {
  row: AgentExecutionRow;
  /** The analysis, when the agent came that far. */
  finalAnalysis: string | null;
  /** Milliseconds from its beginning, or from the end of its last wait for people or a budget, to its last message. */
  workedMs: number;
}

/** Reads what is stored of a session's investigation; chat stages are not part of it. */
export async function readProgress(db: Queryable, sessionId: string): Promise<Progress> {
  const stages = await readRows<StageRow>(
    db,
    `select to_jsonb(t) as row from stages t where session_id = $1 and type <> 'CHAT' order by index`,
    sessionId,
  );
  const executions = await readExecutions(db, 'e.session_id = $1', sessionId);
  const ofStage = Map.groupBy(executions, (execution) => execution.stageId);
  return {
    stages: new Map(stages.map((row) => [row.index, { row, ...placed(ofStage.get(row.id) ?? []) }])),
    summary: await readSummary(db, sessionId),
  };
}

/** What an earlier run left of one stage, and whether its question is in the timeline already. */
export async function readStageProgress(
  db: Queryable,
  stageId: string,
): Promise<Omit<StageProgress, 'row'> & { hasQuestion: boolean }> {
  const executions = await readExecutions(db, 'e.stage_id = $1', stageId);
  const question = await db.query(
    `select 1 from timeline_events where stage_id = $1 and type = 'USER_QUESTION'`,
    [stageId],
  );
  return { ...placed(executions), hasQuestion: question.rows.length > 0 };
}

/** When the time of an execution `e` began: anew when its stage has waited for people, or its session for a budget. */
const SINCE = `greatest(e.started_at,
  (select max(a.decided_at) from approvals a where a.session_id = e.session_id and a.stage_id = e.stage_id),
  (select s.started_at from alert_sessions s where s.id = e.session_id))`;

type ReadExecution = AgentExecutionRow & Omit<ExecutionProgress, 'row'>;

function readExecutions(db: Queryable, condition: string, id: string): Promise<ReadExecution[]> {
  return readRows<ReadExecution>(
    db,
    `select to_jsonb(e) || jsonb_build_object('final_analysis', (
       select t.content from timeline_events t
       where t.execution_id = e.id and t.type = 'FINAL_ANALYSIS' and t.status = 'COMPLETED'
       order by t.sequence_number desc limit 1), 'worked_ms', greatest(0, coalesce((
         select extract(epoch from max(m.created_at) - ${SINCE}) * 1000 from messages m where m.execution_id = e.id), 0))) as row
     from agent_executions e where ${condition} order by agent_index`,
    id,
  );
}

function placed(executions: readonly ReadExecution[]): Omit<StageProgress, 'row'> {
  const read = executions.map(({ finalAnalysis, workedMs, ...row }) => ({ row, finalAnalysis, workedMs }));
  const ofParent = Map.groupBy(read, ({ row }) => row.parentExecutionId ?? null);
  const own = ofParent.get(null) ?? [];
  const subAgents = [...ofParent].filter(
    (entry): entry is [string, ExecutionProgress[]] => entry[0] !== null,
  );
  return {
    executions: new Map(own.map((execution) => [execution.row.agentIndex, execution])),
    subAgents: new Map(subAgents),
  };
}

/** An execution's conversation, as it is stored. */
export function readMessages(db: Queryable, executionId: string): Promise<MessageRow[]> {
  return readRows<MessageRow>(
    db,
    'select to_jsonb(m) as row from messages m where execution_id = $1 order by sequence_number',
    executionId,
  );
}

/** Names of the tools of which an execution's timeline says already that the model is not offered them. */
export async function readUnofferedTools(db: Queryable, executionId: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select tool->>'name' as name from timeline_events t, jsonb_array_elements(t.metadata->'unoffered') tool
     where t.execution_id = $1 and t.type = 'ERROR' and t.metadata ? 'unoffered'`,
    [executionId],
  );
  return rows.map(({ name }) => name);
}

/** Names of the providers that an execution has left for others. */
export async function readPreviousProviders(db: Queryable, executionId: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select metadata->'from'->>'provider' as name from timeline_events where execution_id = $1 and type = 'PROVIDER_FALLBACK'`,
    [executionId],
  );
  return rows.map(({ name }) => name);
}

/** What a tool call came to, as the trace has it. */
export interface StoredToolResult {
  serverName: string;
  toolName: string;
  content: string;
  isError: boolean;
  /** The summary that was made of it, where one was completed. */
  summary: string | null;
  /** By which it is cited: the place of its call in the session's timeline. */
  number: number | null;
}

/** By the call's id: the results that are stored of these calls. */
export async function readToolResults(
  db: Queryable,
  executionId: string,
  calls: readonly ToolCallValue[],
): Promise<Map<string, StoredToolResult>> {
  const { rows } = await db.query<StoredToolResult & { id: string }>(
    `select m.tool_call_id as id, m.server_name as "serverName", coalesce(m.tool_name, '') as "toolName",
       m.result->>'content' as content, coalesce((m.result->>'isError')::boolean, false) as "isError",
       (select t.content from timeline_events t where t.execution_id = m.execution_id and t.type = 'MCP_TOOL_SUMMARY'
          and t.status = 'COMPLETED' and t.metadata->>'tool_call_id' = m.tool_call_id
        order by t.sequence_number desc limit 1) as summary,
       (select max(t.sequence_number) from timeline_events t where t.execution_id = m.execution_id
          and t.type = 'LLM_TOOL_CALL' and t.metadata->>'tool_call_id' = m.tool_call_id) as number
     from mcp_interactions m
     where m.execution_id = $1 and m.type = 'TOOL_CALL' and m.tool_call_id = any($2)`,
    [executionId, calls.map(({ id }) => id)],
  );
  return new Map(rows.map(({ id, ...result }) => [id, result]));
}

/** Those of these calls, by their ids, that were begun: their items are stored before they are made. */
export async function readStartedCalls(
  db: Queryable,
  executionId: string,
  calls: readonly ToolCallValue[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(
    `select metadata->>'tool_call_id' as id from timeline_events
     where execution_id = $1 and type = 'LLM_TOOL_CALL' and metadata->>'tool_call_id' = any($2)`,
    [executionId, calls.map(({ id }) => id)],
  );
  return new Set(rows.map(({ id }) => id));
}

async function readSummary(db: Queryable, sessionId: string): Promise<string | null> {
  const { rows } = await db.query<{ content: string }>(
    `select content from timeline_events
     where session_id = $1 and type = 'EXECUTIVE_SUMMARY' and status = 'COMPLETED' limit 1`,
    [sessionId],
  );
  return rows[0]?.content ?? null;
}

async function readRows<T>(db: Queryable, sql: string, id: string): Promise<T[]> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(sql, [id]);
  return rows.map(({ row }) => decodeRow<T>(row));
}
