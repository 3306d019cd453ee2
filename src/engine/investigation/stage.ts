import { setTimeout as delay } from 'node:timers/promises';
import { uuidv7 } from '../../common/uuidv7.ts';
import type { SuccessPolicy } from '../../config/enums.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import { RunInterruptedError, WaitingForApprovalError } from '../common/interruptions.ts';
import { agentTree, executionRow, type StageAgent } from '../features/sub-agents/plan.ts';
import type { AgentOutcome, AgentPlan, SessionRun } from '../run-context/types.ts';
import { areApprovalsDecided } from '../store/approvals.ts';
import { type RowChange, writeRows } from '../store/event-statement.ts';
import { readStageProgress, type StageProgress } from '../store/progress.ts';
import { beginExecution, beginStage, endStage, type NewStage } from '../store/stages-and-executions.ts';
import { runAgent } from './run-agent.ts';

/** Interval (ms) of polls for the decision on an approval, while other agents of the stage run. */
const APPROVAL_POLL_MS = 500;

export interface StagePlan extends NewStage {
  /** Returns the agents in order. Called only if the stage has not ended yet. */
  agents(): readonly AgentPlan[] | Promise<readonly AgentPlan[]>;
  /** Returns an agent to run after the analysis; `null` if none. The stage's outcome does not depend on that agent. */
  follow?(finalAnalysis: string): Promise<AgentPlan | null>;
}

export const SINGLE_AGENT = {
  parallelType: null,
  successPolicy: null,
  expectedAgentCount: 1,
  referencedStageId: null,
};

/** How a stage ended. `finalAnalysis` is `null` for several agents, because a synthesis merges their results. */
type StageOutcome = Omit<AgentOutcome, 'name'>;

/**
 * Runs a stage's agents side by side, or resumes what an earlier run left open. Every agent ends before the success
 * policy decides. @throws the run's abort reason
 */
export async function runStage(
  run: SessionRun,
  plan: StagePlan,
  progress: StageProgress | undefined,
): Promise<StageOutcome & { stageId: string }> {
  const stageId = progress?.row.id ?? uuidv7();
  if (progress && isTerminalStatus(progress.row.status)) {
    const { status, errorMessage = null } = progress.row;
    const only = progress.executions.size === 1 ? progress.executions.get(1) : undefined;
    return { status, finalAnalysis: only?.finalAnalysis ?? null, errorMessage, stageId };
  }
  const { name, index, type } = plan;
  const facts = { 'tarsy.stage.name': name, 'tarsy.stage.index': index, 'tarsy.stage.type': type };
  return run.observer.tracing.stage(facts, async () => {
    const plans = await plan.agents();
    const tree = agentTree(plans.length, progress);
    const agents = plans.map((agentPlan, position) => {
      const stored = progress?.executions.get(position + 1);
      const ids = { stageId, executionId: stored?.row.id ?? uuidv7() };
      return { index: position + 1, plan: agentPlan, ids, progress: stored, tree };
    });
    const added = agents.filter((agent) => !agent.progress);
    await writeRows(run.db, run.fence, [
      ...(progress ? [] : [beginStage(stageId, plan)]),
      ...added.map((agent) =>
        beginExecution(agent.ids.executionId, executionRow(agent.plan, stageId, agent.index)),
      ),
    ]);
    const policy = plan.successPolicy ?? 'ANY';
    const stageEnd = createStageEnd(stageId, agents.length, policy);
    const outcomes = await runConcurrently(
      run,
      agents.map((agent) => ({
        executionId: agent.ids.executionId,
        async work(isRestart) {
          const latest = isRestart
            ? await readStageProgress(run.db, { sessionId: run.session.id, stageId })
            : null;
          const current = latest
            ? { ...agent, progress: latest.executions.get(agent.index), tree: tree.refreshed(latest) }
            : agent;
          const outcome = await runAgent(run, current, plan.follow ? undefined : stageEnd.changesWith);
          stageEnd.add(agent.index, outcome);
          return outcome;
        },
      })),
    );
    const outcome = stageOutcome(outcomes, policy);
    if (outcome.status === 'COMPLETED' && outcome.finalAnalysis !== null) {
      const followUp = await plan.follow?.(outcome.finalAnalysis);
      const stored = progress?.executions.values().find(({ row }) => row.agentIndex > agents.length);
      const ids = { stageId, executionId: stored?.row.id ?? uuidv7() };
      if (followUp) await runFollowUp(run, { plan: followUp, ids, progress: stored, tree });
    }
    if (!stageEnd.isStored()) await writeRows(run.db, run.fence, [endStage(stageId, outcome)]);
    return { ...outcome, stageId };
  });
}

/** Stores the end of a stage together with the end of its last agent, unless two agents end at the same time. */
function createStageEnd(stageId: string, agentCount: number, policy: SuccessPolicy) {
  const outcomes = new Map<number, AgentOutcome>(); // stored outcomes, by the agent's index
  let last: AgentOutcome | null = null;
  return {
    changesWith(outcome: AgentOutcome): RowChange[] {
      if (outcomes.size + 1 < agentCount) return [];
      last = outcome;
      const all = Array.from({ length: agentCount }, (_, position) => outcomes.get(position + 1) ?? outcome);
      return [endStage(stageId, stageOutcome(all, policy))];
    },
    add: (index: number, outcome: AgentOutcome) => void outcomes.set(index, outcome),
    isStored: () => outcomes.values().some((outcome) => outcome === last),
  };
}

/** Runs an agent whose failure or abort does not fail the stage. @throws an interruption of the run */
async function runFollowUp(run: SessionRun, agent: StageAgent): Promise<void> {
  // the next run of the session runs this agent
  if (run.signal.reason instanceof RunInterruptedError) throw run.signal.reason;
  if (run.signal.aborted) return;
  const { stageId, executionId } = agent.ids;
  try {
    if (!agent.progress) {
      const row = executionRow(agent.plan, stageId, agent.tree.nextIndex());
      await writeRows(run.db, run.fence, [beginExecution(executionId, row)]);
    }
    await runAgent(run, agent);
  } catch (error) {
    const { aborted, reason } = run.signal;
    const isInterrupted = [error, reason].some((cause) => cause instanceof RunInterruptedError);
    if (isInterrupted || !aborted) throw error;
  }
}

/** Returns the outcome of a stage. ANY: one agent must complete; ALL: every agent must. */
export function stageOutcome(outcomes: readonly AgentOutcome[], policy: SuccessPolicy): StageOutcome {
  const failed = outcomes.filter(({ status }) => status !== 'COMPLETED');
  const [only] = outcomes.length === 1 ? outcomes : [];
  const isCompleted = policy === 'ALL' ? failed.length === 0 : failed.length < outcomes.length;
  const finalAnalysis = only?.finalAnalysis ?? null;
  if (isCompleted) return { status: 'COMPLETED', finalAnalysis, errorMessage: null };
  const statuses = new Set(failed.map(({ status }) => status));
  const [status = 'FAILED'] = statuses.size === 1 ? statuses : [];
  return {
    status,
    finalAnalysis: null,
    errorMessage: only ? only.errorMessage : failureMessage(failed, outcomes.length, policy),
  };
}

function failureMessage(failed: readonly AgentOutcome[], agentCount: number, policy: SuccessPolicy): string {
  const lines = failed.map(
    ({ name, status, errorMessage }) =>
      `${name} (${status.toLowerCase()}): ${(errorMessage ?? 'no reason given').replace(/\.$/, '')}`,
  );
  const rule = policy === 'ALL' ? 'all must complete' : 'one must complete';
  return `${failed.length} of ${agentCount} agents did not complete (${rule}). ${lines.join('; ')}.`;
}

interface AgentTask {
  executionId: string;
  /** Runs the agent. A restart resumes from stored state. */
  work: (isRestart: boolean) => Promise<AgentOutcome>;
}

/**
 * Runs agents, each to its end. While others run, an agent that waits for an approval restarts after the decision. If
 * only waiting agents are left, they end with WaitingForApprovalError, so that the session can be released.
 * @throws the first agent's error, once all have ended
 */
async function runConcurrently(
  { db, signal }: SessionRun,
  tasks: readonly AgentTask[],
): Promise<AgentOutcome[]> {
  let running = 0;
  const runs = tasks.map(async ({ executionId, work }) => {
    for (let isRestart = false; ; isRestart = true) {
      try {
        running += 1;
        return await work(isRestart).finally(() => (running -= 1));
      } catch (error) {
        if (!(error instanceof WaitingForApprovalError)) throw error;
        while (!(await areApprovalsDecided(db, executionId))) {
          signal.throwIfAborted();
          if (running === 0) throw error;
          await delay(APPROVAL_POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
        }
      }
    }
  });
  await Promise.allSettled(runs);
  return Promise.all(runs);
}
