import { v7 as uuidv7 } from 'uuid';
import type { IterationStrategy, ParallelType, SuccessPolicy } from '../../config/enums.ts';
import type { AgentExecutionRow, StageRow } from '../../db/entities/index.ts';
import type { StageType, TerminalStatus } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import { type Fence, writeLogged } from '../events/log.ts';
import { LeaseLostError } from '../run/break-off.ts';

/** Condition under which a run may write: it still holds the session. Parameter $2 is its attempt. */
const HELD = `s.attempt = $2 and s.lease_expires_at is not null`;

export interface NewStage {
  name: string;
  index: number;
  type: StageType;
  parallelType: ParallelType | null;
  successPolicy: SuccessPolicy | null;
  expectedAgentCount: number;
  /** SYNTHESIS: the stage whose results are joined. */
  referencedStageId: string | null;
}

/** Begins a stage; it becomes the session's current one. @throws LeaseLostError */
export async function startStage(db: Queryable, fence: Fence, stage: NewStage): Promise<StageRow> {
  const row = await writeLogged<StageRow>(db, {
    sessionId: fence.sessionId,
    guard: HELD,
    type: 'StageStatusChanged',
    change: `insert into stages (id, session_id, name, index, type, status, parallel_type, success_policy,
        expected_agent_count, referenced_stage_id, started_at)
      select $3::uuid, l.id, $4, $5::int, $6, 'ACTIVE', $7, $8, $9::int, $10::uuid, now() from locked l returning *`,
    set: 'current_stage_id = c.id, last_interaction_at = now()',
    values: [
      fence.attempt,
      uuidv7(),
      stage.name,
      stage.index,
      stage.type,
      stage.parallelType,
      stage.successPolicy,
      stage.expectedAgentCount,
      stage.referencedStageId,
    ],
  });
  return held(row, fence);
}

/** Ends a stage that is open. @throws LeaseLostError */
export async function finishStage(
  db: Queryable,
  fence: Fence,
  stageId: string,
  outcome: { status: TerminalStatus; errorMessage: string | null },
): Promise<StageRow> {
  const row = await writeLogged<StageRow>(db, {
    sessionId: fence.sessionId,
    guard: HELD,
    type: 'StageStatusChanged',
    change: `update stages t set status = $4, error_message = $5, completed_at = now() from locked l
      where t.id = $3::uuid and t.session_id = l.id and t.status in ('PENDING', 'ACTIVE') returning t.*`,
    set: 'last_interaction_at = now()',
    values: [fence.attempt, stageId, outcome.status, outcome.errorMessage],
  });
  return held(row, fence);
}

export interface NewExecution {
  stageId: string;
  agentName: string;
  agentIndex: number;
  iterationStrategy: IterationStrategy;
  llmProvider: string;
  llmBackend: string;
  modelName: string;
}

/** Begins the work of one agent. @throws LeaseLostError */
export async function startExecution(
  db: Queryable,
  fence: Fence,
  agent: NewExecution,
): Promise<AgentExecutionRow> {
  const row = await writeLogged<AgentExecutionRow>(db, {
    sessionId: fence.sessionId,
    guard: HELD,
    type: 'ExecutionStatusChanged',
    change: `insert into agent_executions (id, session_id, stage_id, agent_name, agent_index, iteration_strategy,
        llm_provider, llm_backend, model_name, status, started_at)
      select $3::uuid, l.id, $4::uuid, $5, $6::int, $7, $8, $9, $10, 'ACTIVE', now() from locked l returning *`,
    values: [
      fence.attempt,
      uuidv7(),
      agent.stageId,
      agent.agentName,
      agent.agentIndex,
      agent.iterationStrategy,
      agent.llmProvider,
      agent.llmBackend,
      agent.modelName,
    ],
  });
  return held(row, fence);
}

/** Ends the work of an agent that is open. @throws LeaseLostError */
export async function finishExecution(
  db: Queryable,
  fence: Fence,
  executionId: string,
  outcome: { status: TerminalStatus; errorMessage: string | null },
): Promise<AgentExecutionRow> {
  const row = await writeLogged<AgentExecutionRow>(db, {
    sessionId: fence.sessionId,
    guard: HELD,
    type: 'ExecutionStatusChanged',
    change: `update agent_executions t set status = $4, error_message = $5, completed_at = now() from locked l
      where t.id = $3::uuid and t.session_id = l.id and t.status in ('PENDING', 'ACTIVE') returning t.*`,
    values: [fence.attempt, executionId, outcome.status, outcome.errorMessage],
  });
  return held(row, fence);
}

function held<T>(row: T | null, fence: Fence): T {
  if (row === null) throw new LeaseLostError(fence.sessionId);
  return row;
}
