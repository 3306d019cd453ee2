import { setTimeout as delay } from 'node:timers/promises';
import { uuidv7 } from '../../common/uuidv7.ts';
import type { SuccessPolicy } from '../../config/enums.ts';
import { isTerminalStatus, type TerminalStatus } from '../../db/enums.ts';
import { RunInterruptedError, WaitingForApprovalError } from '../common/interruptions.ts';
import { agentTree, executionRow, type StageAgent } from '../features/sub-agents/plan.ts';
import type { AgentOutcome, AgentPlan, SessionRun } from '../run-context/types.ts';
import { areApprovalsDecided } from '../store/approvals.ts';
import { type RowChange, writeRows } from '../store/event-statement.ts';
import { readStageProgress, type StageProgress } from '../store/progress.ts';
import { beginExecution, beginStage, endStage, type NewStage } from '../store/stages-and-executions.ts';
import { runAgent } from './run-agent.ts';

/** Interval (ms) at which a waiting agent polls for the decision on its approval, while others of its stage run. */
const APPROVAL_POLL_MS = 500;

/** A stage to run. */
export interface StagePlan extends NewStage {
  /** Returns its agents in order. Called only if the stage has not ended yet. */
  agents(): readonly AgentPlan[] | Promise<readonly AgentPlan[]>;
  /** Returns an agent that continues with the analysis, if needed. The stage's outcome does not depend on it. */
  follow?(finalAnalysis: string): Promise<AgentPlan | null>;
}

export interface StageOutcome {
  status: TerminalStatus;
  /** The analysis of a stage of one agent; `null` for several agents, because a synthesis merges their results. */
  finalAnalysis: string | null;
  errorMessage: string | null;
}

/**
 * Runs a stage's agents side by side to the stage's final status, or resumes what an earlier run left open. Every agent
 * ends before the success policy decides.
 * @throws the run's abort reason
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
    const settled = await runConcurrently(
      run,
      agents.map((agent) => ({
        executionId: agent.ids.executionId,
        async work(isRestart) {
          const now = isRestart ? await readStageProgress(run.db, stageId) : null;
          const current = now
            ? { ...agent, progress: now.executions.get(agent.index), tree: tree.refreshed(now) }
            : agent;
          const outcome = await runAgent(run, current, plan.follow ? undefined : stageEnd.changesWith);
          stageEnd.add(agent.index, outcome);
          return outcome;
        },
      })),
    );
    const outcome = stageOutcome(settled.map(valueOrThrow), policy);
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
  const outcomes = new Map<number, AgentOutcome>(); // stored ones, by the agent's index
  let last: AgentOutcome | null = null;
  return {
    /** Returns what is written together with the end of an agent. */
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
  if (run.signal.reason instanceof RunInterruptedError) throw run.signal.reason; // the next run does this too
  if (run.signal.aborted) return;
  const { stageId, executionId } = agent.ids;
  try {
    if (!agent.progress) {
      const row = executionRow(agent.plan, stageId, agent.tree.nextIndex());
      await writeRows(run.db, run.fence, [beginExecution(executionId, row)]);
    }
    await runAgent(run, agent);
  } catch (error) {
    if (
      error instanceof RunInterruptedError ||
      run.signal.reason instanceof RunInterruptedError ||
      !run.signal.aborted
    )
      throw error;
  }
}

function valueOrThrow(result: PromiseSettledResult<AgentOutcome>): AgentOutcome {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/** Returns the outcome of a stage. ANY: one agent must complete; ALL: every agent must. */
export function stageOutcome(agents: readonly AgentOutcome[], policy: SuccessPolicy): StageOutcome {
  const failed = agents.filter(({ status }) => status !== 'COMPLETED');
  const isCompleted = policy === 'ALL' ? failed.length === 0 : failed.length < agents.length;
  if (isCompleted) {
    const finalAnalysis = agents.length === 1 ? (agents[0]?.finalAnalysis ?? null) : null;
    return { status: 'COMPLETED', finalAnalysis, errorMessage: null };
  }
  const [first] = failed;
  const isSameStatus = first !== undefined && failed.every(({ status }) => status === first.status);
  return {
    status: isSameStatus ? first.status : 'FAILED',
    finalAnalysis: null,
    errorMessage: agents.length === 1 ? (first?.errorMessage ?? null) : failureMessage(agents, policy),
  };
}

function failureMessage(agents: readonly AgentOutcome[], policy: SuccessPolicy): string {
  const failed = agents.filter(({ status }) => status !== 'COMPLETED');
  const lines = failed.map(
    ({ name, status, errorMessage }) =>
      `${name} (${status.toLowerCase()}): ${(errorMessage ?? 'no reason given').replace(/\.$/, '')}`,
  );
  const rule = policy === 'ALL' ? 'all must complete' : 'one must complete';
  return `${failed.length} of ${agents.length} agents did not complete (${rule}). ${lines.join('; ')}.`;
}

/** An agent's work in a stage. A restart resumes from stored state. */
interface AgentTask<T> {
  executionId: string;
  work: (isRestart: boolean) => Promise<T>;
}

/**
 * Runs several agents, each to its end. While others run, an agent that waits for an approval restarts once it is decided.
 * When only waiting agents are left, they end with WaitingForApprovalError, so that the session can be released.
 */
function runConcurrently<T>(
  run: Pick<SessionRun, 'db' | 'signal'>,
  tasks: readonly AgentTask<T>[],
): Promise<PromiseSettledResult<T>[]> {
  const { signal } = run;
  let running = tasks.length;

  async function runToEnd({ executionId, work }: AgentTask<T>): Promise<T> {
    for (let isRestart = false; ; isRestart = true) {
      try {
        return await work(isRestart);
      } catch (error) {
        if (!(error instanceof WaitingForApprovalError)) throw error;
        running -= 1;
        while (!(await areApprovalsDecided(run.db, executionId))) {
          signal.throwIfAborted();
          if (running === 0) throw error;
          await delay(APPROVAL_POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
        }
        running += 1;
      }
    }
  }

  return Promise.allSettled(
    tasks.map(async (task) => {
      let isWaiting = false;
      try {
        return await runToEnd(task);
      } catch (error) {
        isWaiting = error instanceof WaitingForApprovalError;
        throw error;
      } finally {
        if (!isWaiting) running -= 1; // a waiting agent is already subtracted
      }
    }),
  );
}
