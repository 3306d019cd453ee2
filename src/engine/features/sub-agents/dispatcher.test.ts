import { expect, test } from 'vitest';
import {
  HandedOverError,
  LeaseLostError,
  OverBudgetError,
  type RunInterruptedError,
  WaitingForApprovalError,
} from '../../common/interruptions.ts';
import { createTimeBudget } from '../../run-context/time-budget.ts';
import type { AgentOutcome, AgentPlan, SessionRun } from '../../run-context/types.ts';
import type { ExecutionProgress, StageProgress } from '../../store/progress.ts';
import { openSubAgents } from './dispatcher.ts';
import { agentTree } from './plan.ts';

const orchestrator = {
  maxAgents: 10,
  maxConcurrentAgents: 10,
  agentTimeoutMs: 60_000,
  maxBudgetMs: 60_000,
};
const plan = { name: 'Lead', resolved: { orchestrator, subAgents: [] } } as unknown as AgentPlan;

const stored = (id: string, agentIndex: number) =>
  ({
    row: { id, agentName: id, agentIndex, task: 'Work.', status: 'ACTIVE' },
    finalAnalysis: null,
    workedMs: 0,
  }) as ExecutionProgress;

/** Sub-agents that an earlier run left unfinished: `busy` ends on demand or abort; `stuck` is interrupted at once. */
function resumeTwo(reason: RunInterruptedError) {
  const end = Promise.withResolvers<AgentOutcome>();
  const progress = { subAgents: new Map([['lead', [stored('busy', 2), stored('stuck', 3)]]]) };
  const time = createTimeBudget(
    { startedAt: 0, endsAt: performance.now() + 3_600_000, exceeded: Error },
    0,
    new AbortController().signal,
  );
  const config = { defaults: { timeouts: { conclusionReserveMs: 0 } } };
  const run = { signal: new AbortController().signal, time, config } as SessionRun;
  const tree = agentTree(1, progress as unknown as StageProgress);
  const agent = { plan, ids: { stageId: 'stage', executionId: 'lead' }, progress: undefined, tree };
  const subAgents = openSubAgents(run, agent, ({ signal }, { plan: { name } }) => {
    if (name === 'stuck') return Promise.reject(reason);
    signal.addEventListener('abort', () => end.reject(signal.reason));
    return end.promise;
  });
  subAgents.resume();
  return {
    subAgents,
    statuses: () => subAgents.all().map(({ id, status }) => `${id} ${status}`),
    end: () =>
      end.resolve({ name: 'busy', status: 'COMPLETED', finalAnalysis: 'Found.', errorMessage: null }),
  };
}

const OVER = { reason: 'BUDGET', cause: 'day/', message: 'The budget day is used up.', until: null } as const;

test.each([new WaitingForApprovalError(), new OverBudgetError(OVER)])(
  'lets the others finish while one sub-agent waits: $name',
  async (reason) => {
    const { subAgents, statuses, end } = resumeTwo(reason);
    const stopped = subAgents.stop(reason);
    end();
    await stopped;
    expect(statuses()).toEqual(['busy COMPLETED', 'stuck ACTIVE']);
  },
);

test.each([new HandedOverError(), new LeaseLostError('session')])(
  'interrupts all sub-agents with their agent: $name',
  async (reason) => {
    const { subAgents, statuses } = resumeTwo(reason);
    await subAgents.stop(reason);
    expect(statuses()).toEqual(['busy ACTIVE', 'stuck ACTIVE']);
  },
);

test('cancels the sub-agents of an agent that has ended, and reports an interruption', async () => {
  const reason = new HandedOverError();
  const { subAgents, statuses } = resumeTwo(reason);
  await expect(subAgents.stop(null)).rejects.toBe(reason);
  expect(statuses()).toEqual(['busy CANCELLED', 'stuck ACTIVE']);
});
