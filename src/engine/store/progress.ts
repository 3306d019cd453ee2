import type { AgentExecutionRow, MessageRow, StageRow, ToolCallValue } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { readRows } from '../live/event-log.ts';

/** The stored stages of an investigation by their index, from which a run resumes. Empty on the first run. */
export type Progress = ReadonlyMap<number, StageProgress>;

export interface StageProgress {
  row: StageRow;
  /** Executions of the stage by agent index; sub-agents are not included. */
  executions: ReadonlyMap<number, ExecutionProgress>;
  /** Sub-agents by the execution id of their parent, in the order of dispatch. */
  subAgents: ReadonlyMap<string, readonly ExecutionProgress[]>;
}

export interface ExecutionProgress {
  row: AgentExecutionRow;
  /** The text of the final analysis; `null` if the agent has not completed it. */
  finalAnalysis: string | null;
  /** Working time (ms): from the start, or the last wait for an approval or a budget, to the last message. */
  workedMs: number;
}

/** Reads the stored state of an investigation, without chat stages. */
export async function readProgress(db: Queryable, sessionId: string): Promise<Progress> {
  const stages = await readRows<StageRow>(
    db,
    `select to_jsonb(t) as row from stages t where session_id = $1 and type <> 'CHAT' order by index`,
    [sessionId],
  );
  const executions = await readExecutions(db, sessionId);
  const ofStage = Map.groupBy(executions, (execution) => execution.stageId);
  return new Map(stages.map((row) => [row.index, { row, ...byAgent(ofStage.get(row.id) ?? []) }]));
}

/**
 * Reads the stored state of one stage. `hasQuestion`: true if the question of a chat stage is in its
 * timeline.
 */
export async function readStageProgress(
  db: Queryable,
  { sessionId, stageId }: { sessionId: string; stageId: string },
): Promise<Omit<StageProgress, 'row'> & { hasQuestion: boolean }> {
  const executions = await readExecutions(db, sessionId, stageId);
  const question = await db.query(
    `select 1 from timeline_events where session_id = $1 and stage_id = $2 and type = 'USER_QUESTION'`,
    [sessionId, stageId],
  );
  return { ...byAgent(executions), hasQuestion: question.rows.length > 0 };
}

/** SQL: start of the working time of execution `e`. A wait for an approval or a budget moves it forward. */
const SINCE = `greatest(e.started_at,
  (select max(a.decided_at) from approvals a where a.session_id = e.session_id and a.stage_id = e.stage_id),
  (select s.started_at from alert_sessions s where s.id = e.session_id))`;

type ReadExecution = AgentExecutionRow & Omit<ExecutionProgress, 'row'>;

function readExecutions(
  db: Queryable,
  sessionId: string,
  stageId: string | null = null,
): Promise<ReadExecution[]> {
  return readRows<ReadExecution>(
    db,
    prepared(`select to_jsonb(e) || jsonb_build_object('final_analysis', (
       select t.content from timeline_events t
       where t.session_id = $1 and t.execution_id = e.id and t.type = 'FINAL_ANALYSIS' and t.status = 'COMPLETED'
       order by t.sequence_number desc limit 1), 'worked_ms', greatest(0, coalesce((
         select extract(epoch from max(m.created_at) - ${SINCE}) * 1000 from messages m
         where m.session_id = $1 and m.execution_id = e.id), 0))) as row
     from agent_executions e where e.session_id = $1 and e.stage_id = coalesce($2, e.stage_id) order by agent_index`),
    [sessionId, stageId],
  );
}

function byAgent(executions: readonly ReadExecution[]): Omit<StageProgress, 'row'> {
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

/** An execution and its session, because the rows of executions are stored by the month of their session. */
export interface ExecutionKey {
  sessionId: string;
  executionId: string;
}

export function readMessages(db: Queryable, { sessionId, executionId }: ExecutionKey): Promise<MessageRow[]> {
  return readRows<MessageRow>(
    db,
    prepared(
      'select to_jsonb(m) as row from messages m where session_id = $1 and execution_id = $2 order by sequence_number',
    ),
    [sessionId, executionId],
  );
}

/** Returns the names of tools that the execution's timeline already reports as not offered to the model. */
export async function readUnofferedTools(
  db: Queryable,
  { sessionId, executionId }: ExecutionKey,
): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select tool->>'name' as name from timeline_events t, jsonb_array_elements(t.metadata->'unoffered') tool
     where t.session_id = $1 and t.execution_id = $2 and t.type = 'ERROR' and t.metadata ? 'unoffered'`,
    [sessionId, executionId],
  );
  return rows.map(({ name }) => name);
}

export async function readPreviousProviders(
  db: Queryable,
  { sessionId, executionId }: ExecutionKey,
): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select metadata->'from'->>'provider' as name from timeline_events
     where session_id = $1 and execution_id = $2 and type = 'PROVIDER_FALLBACK'`,
    [sessionId, executionId],
  );
  return rows.map(({ name }) => name);
}

export interface StoredToolResult {
  serverName: string;
  toolName: string;
  content: string;
  isError: boolean;
  /** The summary of the result; `null` if none was completed. */
  summary: string | null;
  /** Output number: the call's sequence number in the timeline. `null` if the timeline lacks the call. */
  number: number | null;
}

/** Returns the stored results of the given calls, by call id. */
export async function readToolResults(
  db: Queryable,
  { sessionId, executionId }: ExecutionKey,
  calls: readonly ToolCallValue[],
): Promise<Map<string, StoredToolResult>> {
  const { rows } = await db.query<StoredToolResult & { id: string }>(
    prepared(`select m.tool_call_id as id, m.server_name as "serverName", coalesce(m.tool_name, '') as "toolName",
       m.result->>'content' as content, coalesce((m.result->>'isError')::boolean, false) as "isError",
       (select t.content from timeline_events t
        where t.session_id = $1 and t.execution_id = $2 and t.type = 'MCP_TOOL_SUMMARY'
          and t.status = 'COMPLETED' and t.metadata->>'tool_call_id' = m.tool_call_id
        order by t.sequence_number desc limit 1) as summary,
       (select max(t.sequence_number) from timeline_events t where t.session_id = $1 and t.execution_id = $2
          and t.type = 'LLM_TOOL_CALL' and t.metadata->>'tool_call_id' = m.tool_call_id) as number
     from mcp_interactions m
     where m.session_id = $1 and m.execution_id = $2 and m.type = 'TOOL_CALL' and m.tool_call_id = any($3)`),
    [sessionId, executionId, calls.map(({ id }) => id)],
  );
  return new Map(rows.map(({ id, ...result }) => [id, result]));
}

/** Returns the ids of the started calls: those with a timeline event, which is stored before the call is made. */
export async function readStartedCalls(
  db: Queryable,
  { sessionId, executionId }: ExecutionKey,
  calls: readonly ToolCallValue[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(
    prepared(`select metadata->>'tool_call_id' as id from timeline_events
     where session_id = $1 and execution_id = $2 and type = 'LLM_TOOL_CALL' and metadata->>'tool_call_id' = any($3)`),
    [sessionId, executionId, calls.map(({ id }) => id)],
  );
  return new Set(rows.map(({ id }) => id));
}
