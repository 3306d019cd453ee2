import { expect, test } from 'vitest';
import {
  type BreakOffError,
  HandedOverError,
  LeaseLostError,
  OverBudgetError,
  WaitingForApprovalError,
} from '../../common/interruptions.ts';
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
const place = { stageId: 'stage', executionId: 'lead' };

const left = (id: string, agentIndex: number) =>
  ({
    row: { id, agentName: id, agentIndex, task: 'Work.', status: 'ACTIVE' },
    finalAnalysis: null,
    workedMs: 0,
  }) as ExecutionProgress;

/** Two that an earlier run left at work: `busy` ends when it may, or is cut off; `stuck` breaks off at once. */
function twoAtWork(reason: BreakOffError) {
  const end = Promise.withResolvers<AgentOutcome>();
  const progress = { subAgents: new Map([['lead', [left('busy', 2), left('stuck', 3)]]]) };
  const run = { signal: new AbortController().signal } as SessionRun;
  const subAgents = openSubAgents(run, plan, place, {
    family: agentTree(1, progress as unknown as StageProgress),
    workedMs: 0,
    runAgent: ({ signal }, { name }) => {
      if (name === 'stuck') return Promise.reject(reason);
      signal.addEventListener('abort', () => end.reject(signal.reason));
      return end.promise;
    },
  });
  subAgents.resume();
  return {
    subAgents,
    statuses: () => subAgents.all().map(({ id, status }) => `${id} ${status}`),
    end: () =>
      end.resolve({ name: 'busy', status: 'COMPLETED', finalAnalysis: 'Found.', errorMessage: null }),
  };
}

test.each([new WaitingForApprovalError(), new OverBudgetError('day', new Date())])(
  'one that waits cuts off no other, whose agent is waited with: $name',
  async (reason) => {
    const { subAgents, statuses, end } = twoAtWork(reason);
    const stopped = subAgents.stop(reason);
    end();
    await stopped;
    expect(statuses()).toEqual(['busy COMPLETED', 'stuck ACTIVE']);
  },
);

test.each([new HandedOverError(), new LeaseLostError('session')])(
  'with an agent that may not go on all break off: $name',
  async (reason) => {
    const { subAgents, statuses } = twoAtWork(reason);
    await subAgents.stop(reason);
    expect(statuses()).toEqual(['busy ACTIVE', 'stuck ACTIVE']);
  },
);

test('those of an agent that has ended end with it, or say that they broke off', async () => {
  const reason = new HandedOverError();
  const { subAgents, statuses } = twoAtWork(reason);
  await expect(subAgents.stop(null)).rejects.toBe(reason);
  expect(statuses()).toEqual(['busy CANCELLED', 'stuck ACTIVE']);
});
