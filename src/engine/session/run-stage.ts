import type { StageAgentConfig, StageConfig } from '../../config/types.ts';
import { isTerminalStatus, type TerminalStatus } from '../../db/enums.ts';
import type { StageProgress } from './progress.ts';
import { type AgentOutcome, runAgent, type SessionRun } from './run-agent.ts';
import { finishStage, startStage } from './stages.ts';

export interface StageOutcome {
  status: TerminalStatus;
  finalAnalysis: string | null;
  errorMessage: string | null;
}

/** A stage with several agents, which need a synthesis that this version does not have. */
class SeveralAgentsError extends Error {
  readonly code = 'PARALLEL_STAGE_NOT_AVAILABLE';
  constructor(stage: string, count: number) {
    super(
      `Stage "${stage}" has ${count} agents; this version runs stages of one agent. Make each a stage of its own.`,
    );
    this.name = 'SeveralAgentsError';
  }
}

/**
 * Runs a stage to its final status, or goes on with one that an earlier run left open.
 * @throws the run's abort reason, after the stage got the status that follows from it
 */
export async function runStage(
  run: SessionRun,
  stage: StageConfig,
  index: number,
  previousStages: readonly { name: string; finalAnalysis: string }[],
  progress: StageProgress | undefined,
): Promise<StageOutcome> {
  const finished = progress && finishedEarlier(progress);
  if (finished) return finished;
  const agents = agentsOf(stage);
  const row = progress?.row ?? (await startStage(run.db, run.fence, newStage(stage, index, agents.length)));
  const outcomes = await runAgents(run, stage, row.id, agents, previousStages, progress);
  const outcome = stageOutcome(outcomes);
  await finishStage(run.db, run.fence, row.id, outcome);
  return outcome;
}

async function runAgents(
  run: SessionRun,
  stage: StageConfig,
  stageId: string,
  agents: readonly { agent: StageAgentConfig; displayName: string }[],
  previousStages: readonly { name: string; finalAnalysis: string }[],
  progress: StageProgress | undefined,
): Promise<AgentOutcome[]> {
  if (agents.length !== 1) {
    const errorMessage = new SeveralAgentsError(stage.name, agents.length).message;
    return [{ name: stage.name, status: 'FAILED', finalAnalysis: null, errorMessage }];
  }
  const runs = agents.map(({ agent, displayName }, position) => {
    const agentIndex = position + 1;
    const executionProgress = progress?.executions.get(agentIndex);
    return runAgent(run, {
      stageId,
      stage,
      agent,
      displayName,
      agentIndex,
      previousStages,
      progress: executionProgress,
    });
  });
  // All come to their end before the first abort is passed on: each writes its own final status.
  const settled = await Promise.allSettled(runs);
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** The stage's agents with their names: replicas are numbered. */
function agentsOf(stage: StageConfig): { agent: StageAgentConfig; displayName: string }[] {
  if (stage.replicas <= 1) return stage.agents.map((agent) => ({ agent, displayName: agent.name }));
  return stage.agents.flatMap((agent) =>
    Array.from({ length: stage.replicas }, (_, n) => ({ agent, displayName: `${agent.name}-${n + 1}` })),
  );
}

function newStage(stage: StageConfig, index: number, agentCount: number) {
  return {
    name: stage.name,
    index,
    type: 'INVESTIGATION',
    parallelType: agentCount === 1 ? null : stage.replicas > 1 ? 'REPLICA' : 'MULTI_AGENT',
    successPolicy: agentCount === 1 ? null : stage.successPolicy,
    expectedAgentCount: agentCount,
  } as const;
}

function stageOutcome(outcomes: readonly AgentOutcome[]): StageOutcome {
  const [only] = outcomes;
  if (!only) return { status: 'FAILED', finalAnalysis: null, errorMessage: 'The stage has no agent.' };
  return { status: only.status, finalAnalysis: only.finalAnalysis, errorMessage: only.errorMessage };
}

function finishedEarlier({ row, executions }: StageProgress): StageOutcome | null {
  if (!isTerminalStatus(row.status)) return null;
  const finalAnalysis = executions.get(1)?.finalAnalysis ?? null;
  return { status: row.status, finalAnalysis, errorMessage: row.errorMessage ?? null };
}
