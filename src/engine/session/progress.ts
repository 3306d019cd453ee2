import type { AgentExecutionRow, StageRow } from '../../db/entities/index.ts';
import type { TerminalStatus } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import { completeTimelineEvent } from '../agent/timeline.ts';
import { decodeRow, type Fence } from '../events/log.ts';
import { finishExecution, finishStage } from './stages.ts';

/** What an earlier run of a session left: nothing on the first. A run goes on from here. */
export interface Progress {
  /** By the stage's index. */
  stages: ReadonlyMap<number, StageProgress>;
}

export interface StageProgress {
  row: StageRow;
  /** By the agent's index. */
  executions: ReadonlyMap<number, ExecutionProgress>;
}

export interface ExecutionProgress {
  row: AgentExecutionRow;
  /** The analysis, when the agent came that far. */
  finalAnalysis: string | null;
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
    stages: new Map(
      stages.map((row) => [row.index, { row, executions: byIndex(ofStage.get(row.id) ?? []) }]),
    ),
  };
}

/** What an earlier run left of one stage, and whether its question is in the timeline already. */
export async function readStageProgress(
  db: Queryable,
  stageId: string,
): Promise<Pick<StageProgress, 'executions'> & { hasQuestion: boolean }> {
  const executions = await readExecutions(db, 'e.stage_id = $1', stageId);
  const question = await db.query(
    `select 1 from timeline_events where stage_id = $1 and type = 'USER_QUESTION'`,
    [stageId],
  );
  return { executions: byIndex(executions), hasQuestion: question.rows.length > 0 };
}

type ReadExecution = AgentExecutionRow & { finalAnalysis: string | null };

function readExecutions(db: Queryable, condition: string, id: string): Promise<ReadExecution[]> {
  return readRows<ReadExecution>(
    db,
    `select to_jsonb(e) || jsonb_build_object('final_analysis', (
       select t.content from timeline_events t
       where t.execution_id = e.id and t.type = 'FINAL_ANALYSIS' and t.status = 'COMPLETED'
       order by t.sequence_number desc limit 1)) as row
     from agent_executions e where ${condition} order by agent_index`,
    id,
  );
}

function byIndex(executions: readonly ReadExecution[]): StageProgress['executions'] {
  return new Map(executions.map(({ finalAnalysis, ...row }) => [row.agentIndex, { row, finalAnalysis }]));
}

/** Ends timeline items that a broken-off run left streaming: their text will not grow any more. */
export async function closeOpenItems(
  db: Queryable,
  fence: Fence,
  status: 'CANCELLED' | 'FAILED' | 'TIMED_OUT',
): Promise<void> {
  const { rows } = await db.query<{ id: string; content: string }>(
    `select id, content from timeline_events where session_id = $1 and status = 'STREAMING' order by sequence_number`,
    [fence.sessionId],
  );
  for (const { id, content } of rows) {
    await completeTimelineEvent(db, fence, id, { status, content, metadata: { interrupted: true } });
  }
}

/** Ends everything of a session that is still open, innermost first. */
export async function closeEverythingOpen(
  db: Queryable,
  fence: Fence,
  outcome: { status: Exclude<TerminalStatus, 'COMPLETED'>; errorMessage: string | null },
): Promise<void> {
  await closeOpenItems(db, fence, outcome.status);
  const open = (table: string) =>
    db.query<{ id: string }>(
      `select id from ${table} where session_id = $1 and status in ('PENDING', 'ACTIVE') order by created_at`,
      [fence.sessionId],
    );
  for (const { id } of (await open('agent_executions')).rows) await finishExecution(db, fence, id, outcome);
  for (const { id } of (await open('stages')).rows) await finishStage(db, fence, id, outcome);
}

async function readRows<T>(db: Queryable, sql: string, sessionId: string): Promise<T[]> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(sql, [sessionId]);
  return rows.map(({ row }) => decodeRow<T>(row));
}
