import { setTimeout as delay } from 'node:timers/promises';
import { uuidv7 } from '../../common/uuidv7.ts';
import type { SuccessPolicy } from '../../config/enums.ts';
import { isTerminalStatus, type TerminalStatus } from '../../db/enums.ts';
import { BreakOffError, WaitingForApprovalError } from '../common/interruptions.ts';
import { type AgentTree, agentTree, asLeft, executionRow } from '../features/sub-agents/plan.ts';
import type { AgentOutcome, AgentPlan, SessionRun } from '../run-context/types.ts';
import { isDecided } from '../store/approvals.ts';
import { type Change, writeStep } from '../store/event-statement.ts';
import { type ExecutionProgress, readStageProgress, type StageProgress } from '../store/progress.ts';
import { beginExecution, beginStage, endStage, type NewStage } from '../store/stages-and-executions.ts';
import { runAgent } from './run-agent.ts';

/** While others of its stage run, an agent that waits for people looks this often (ms) whether they have decided. */
export const APPROVAL_POLL_MS = 500;

/** A stage that is to be run. */
export interface StagePlan extends NewStage {
  /** Its agents, in their order; asked for when there is something left to do. */
  agents(): readonly AgentPlan[] | Promise<readonly AgentPlan[]>;
  /** One that goes on with what came of them, where there is something to do; how it ends changes nothing of how the stage does. */
  follow?(finalAnalysis: string): Promise<AgentPlan | null>;
}

export interface StageOutcome {
  status: TerminalStatus;
  /** The only agent's analysis; null where several agents' results are joined by a synthesis. */
  finalAnalysis: string | null;
  errorMessage: string | null;
}

/**
 * Runs a stage's agents side by side to the stage's final status, or goes on with what an earlier run left open. One
 * agent is not a special case. All come to their end before the success policy decides.
 * @throws the run's abort reason
 */
export async function runStage(
  run: SessionRun,
  plan: StagePlan,
  progress: StageProgress | undefined,
): Promise<StageOutcome & { stageId: string }> {
  const stageId = progress?.row.id ?? uuidv7();
  const finished = progress && finishedEarlier(progress);
  if (finished) return { ...finished, stageId };
  const { name, index, type } = plan;
  const facts = { 'tarsy.stage.name': name, 'tarsy.stage.index': index, 'tarsy.stage.type': type };
  return run.observer.tracing.stage(facts, async () => {
    const agents = (await plan.agents()).map((agent, at) => {
      const left = progress?.executions.get(at + 1);
      return { agent, at: { stageId, agentIndex: at + 1 }, executionId: left?.row.id ?? uuidv7(), left };
    });
    const family = agentTree(agents.length, progress);
    const fresh = agents.filter(({ left }) => !left);
    await writeStep(run.db, run.fence, [
      ...(progress ? [] : [beginStage(stageId, plan)]),
      ...fresh.map(({ agent, at, executionId }) => beginExecution(executionId, executionRow(agent, at))),
    ]);
    const policy = plan.successPolicy ?? 'ANY';
    const ends = stageEnds(stageId, agents.length, policy);
    const settled = await runConcurrently(
      run,
      agents.map(({ agent, at, executionId, left }) => ({
        executionId,
        work: async (isAgain) => {
          const place = { stageId, executionId };
          const now = isAgain ? await readStageProgress(run.db, stageId) : null;
          const own = now ? now.executions.get(at.agentIndex) : left;
          const around = now ? asLeft(family, now) : family;
          const outcome = await runAgent(run, agent, place, own, around, plan.follow ? undefined : ends.with);
          ends.add(at.agentIndex, outcome);
          return outcome;
        },
      })),
    );
    const outcome = stageOutcome(settled.map(valueOrThrow), policy);
    if (outcome.status === 'COMPLETED' && outcome.finalAnalysis !== null) {
      const following = await plan.follow?.(outcome.finalAnalysis);
      const left = progress?.executions.values().find(({ row }) => row.agentIndex > agents.length);
      if (following) await runFollowing(run, following, stageId, left, family);
    }
    if (!ends.isStored()) await writeStep(run.db, run.fence, [endStage(stageId, outcome)]);
    return { ...outcome, stageId };
  });
}

/** A stage's end is written with that of its agent which ends last, unless two end at the same time. */
function stageEnds(stageId: string, agents: number, policy: SuccessPolicy) {
  const stored = new Map<number, AgentOutcome>(); // by the agent's index
  let last: AgentOutcome | null = null;
  return {
    with(own: AgentOutcome): Change[] {
      if (stored.size + 1 < agents) return [];
      last = own;
      const all = Array.from({ length: agents }, (_, at) => stored.get(at + 1) ?? own);
      return [endStage(stageId, stageOutcome(all, policy))];
    },
    add: (index: number, outcome: AgentOutcome) => void stored.set(index, outcome),
    isStored: () => stored.values().some((outcome) => outcome === last),
  };
}

/** @throws what breaks the run off; that it is to end ends this agent alone */
async function runFollowing(
  run: SessionRun,
  agent: AgentPlan,
  stageId: string,
  left: ExecutionProgress | undefined,
  family: AgentTree,
): Promise<void> {
  if (run.signal.reason instanceof BreakOffError) throw run.signal.reason; // whoever goes on does this, too
  if (run.signal.aborted) return;
  const executionId = left?.row.id ?? uuidv7();
  try {
    if (!left) {
      const begun = executionRow(agent, { stageId, agentIndex: family.nextIndex() });
      await writeStep(run.db, run.fence, [beginExecution(executionId, begun)]);
    }
    await runAgent(run, agent, { stageId, executionId }, left, family);
  } catch (error) {
    if (error instanceof BreakOffError || run.signal.reason instanceof BreakOffError || !run.signal.aborted)
      throw error;
  }
}

function valueOrThrow(result: PromiseSettledResult<AgentOutcome>): AgentOutcome {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

function finishedEarlier({ row, executions }: StageProgress): StageOutcome | null {
  if (!isTerminalStatus(row.status)) return null;
  const finalAnalysis = executions.size === 1 ? (executions.get(1)?.finalAnalysis ?? null) : null;
  return { status: row.status, finalAnalysis, errorMessage: row.errorMessage ?? null };
}

/** What a stage came to: ANY = one agent completed, ALL = every one did. */
export function stageOutcome(agents: readonly AgentOutcome[], policy: SuccessPolicy): StageOutcome {
  const completed = agents.filter(({ status }) => status === 'COMPLETED');
  const enough = policy === 'ALL' ? completed.length === agents.length : completed.length > 0;
  if (enough) {
    const finalAnalysis = agents.length === 1 ? (agents[0]?.finalAnalysis ?? null) : null;
    return { status: 'COMPLETED', finalAnalysis, errorMessage: null };
  }
  return { status: failureStatus(agents), finalAnalysis: null, errorMessage: failureMessage(agents, policy) };
}

/** The agents' own status where those that did not complete agree on one. */
function failureStatus(agents: readonly { status: TerminalStatus }[]): TerminalStatus {
  const statuses = new Set(agents.map(({ status }) => status).filter((status) => status !== 'COMPLETED'));
  const [only] = statuses;
  return statuses.size === 1 && only ? only : 'FAILED';
}

function failureMessage(agents: readonly AgentOutcome[], policy: SuccessPolicy): string | null {
  if (agents.length === 1) return agents[0]?.errorMessage ?? null;
  const failed = agents.filter(({ status }) => status !== 'COMPLETED');
  const lines = failed.map(
    ({ name, status, errorMessage }) =>
      `${name} (${status.toLowerCase()}): ${(errorMessage ?? 'no reason given').replace(/\.$/, '')}`,
  );
  const rule = policy === 'ALL' ? 'all must complete' : 'one must complete';
  return `${failed.length} of ${agents.length} agents did not complete (${rule}). ${lines.join('; ')}.`;
}

/** An agent's work in a stage; begun again it goes on where it stopped. */
export interface AgentTask<T> {
  executionId: string;
  work: (isAgain: boolean) => Promise<T>;
}

/**
 * Does the work of several agents to the end of each. One that waits for people goes on when they have decided, as long as another
 * of them runs; when none does any more, those that wait end with WaitingForApprovalError: all can be given back.
 */
export function runConcurrently<T>(
  { db, signal }: Pick<SessionRun, 'db' | 'signal'>,
  pieces: readonly AgentTask<T>[],
): Promise<PromiseSettledResult<T>[]> {
  let running = pieces.length;

  async function toItsEnd({ executionId, work }: AgentTask<T>): Promise<T> {
    for (let isAgain = false; ; isAgain = true) {
      try {
        return await work(isAgain);
      } catch (error) {
        if (!(error instanceof WaitingForApprovalError)) throw error;
        running -= 1;
        while (!(await isDecided(db, executionId))) {
          signal.throwIfAborted();
          if (running === 0) throw error;
          await delay(APPROVAL_POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
        }
        running += 1;
      }
    }
  }

  return Promise.allSettled(
    pieces.map(async (piece) => {
      let waits = false;
      try {
        return await toItsEnd(piece);
      } catch (error) {
        waits = error instanceof WaitingForApprovalError;
        throw error;
      } finally {
        if (!waits) running -= 1; // who waits is not counted already
      }
    }),
  );
}
