import { v7 as uuidv7 } from 'uuid';
import { resolveSuccessPolicy } from '../../config/resolve.ts';
import type { StageAgentConfig, StageConfig } from '../../config/types.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import type { StageProgress } from '../journal/progress.ts';
import { writeStep } from '../journal/step.ts';
import { beginStage, endStage } from '../journal/work.ts';
import type { ExecutionOutcome } from './execute.ts';
import type { SessionRun } from './run.ts';
import { runAgent } from './run-agent.ts';
import { type StageOutcome, stageOutcome } from './stage-outcome.ts';

/** A stage that ended, with what a synthesis of it needs. */
export interface StageResult extends StageOutcome {
  stageId: string;
  agentCount: number;
}

/**
 * Runs a stage's agents side by side to the stage's final status, or goes on with what an earlier run left open. One
 * agent is not a special case. All come to their end before the success policy decides.
 * @throws the run's abort reason
 */
export async function runStage(
  run: SessionRun,
  stage: StageConfig,
  index: number,
  previousStages: readonly { name: string; finalAnalysis: string }[],
  progress: StageProgress | undefined,
): Promise<StageResult> {
  const agents = agentsOf(stage);
  const finished = progress && finishedEarlier(progress);
  if (finished) return { ...finished, agentCount: agents.length };
  const policy = resolveSuccessPolicy(run.config, run.chain, stage);
  const stageId = progress?.row.id ?? uuidv7();
  const begun = beginStage(stageId, {
    name: stage.name,
    index,
    type: 'INVESTIGATION',
    parallelType: agents.length === 1 ? null : stage.replicas > 1 ? 'REPLICA' : 'MULTI_AGENT',
    successPolicy: agents.length === 1 ? null : policy,
    expectedAgentCount: agents.length,
    referencedStageId: null,
  });
  if (!progress) await writeStep(run.db, run.fence, [begun]);
  const settled = await Promise.allSettled(
    agents.map(({ agent, displayName }, position) => {
      const agentIndex = position + 1;
      const left = progress?.executions.get(agentIndex);
      return runAgent(run, {
        stageId,
        stage,
        agent,
        displayName,
        agentIndex,
        previousStages,
        progress: left,
      });
    }),
  );
  const outcome = stageOutcome(settled.map(valueOrThrow), policy);
  await writeStep(run.db, run.fence, [endStage(stageId, outcome)]);
  return { ...outcome, stageId, agentCount: agents.length };
}

function valueOrThrow(result: PromiseSettledResult<ExecutionOutcome>): ExecutionOutcome {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/** The stage's agents with their names: replicas are numbered. */
function agentsOf(stage: StageConfig): { agent: StageAgentConfig; displayName: string }[] {
  if (stage.replicas <= 1) return stage.agents.map((agent) => ({ agent, displayName: agent.name }));
  return stage.agents.flatMap((agent) =>
    Array.from({ length: stage.replicas }, (_, n) => ({ agent, displayName: `${agent.name}-${n + 1}` })),
  );
}

function finishedEarlier({ row, executions }: StageProgress): (StageOutcome & { stageId: string }) | null {
  if (!isTerminalStatus(row.status)) return null;
  const finalAnalysis = executions.size === 1 ? (executions.get(1)?.finalAnalysis ?? null) : null;
  return { stageId: row.id, status: row.status, finalAnalysis, errorMessage: row.errorMessage ?? null };
}
