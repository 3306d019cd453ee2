import { setImmediate } from 'node:timers/promises';
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
import { agentTree, subAgentId } from './plan.ts';

const orchestrator = {
  maxAgents: 10,
  maxConcurrentAgents: 10,
  agentTimeoutMs: 60_000,
  maxBudgetMs: 60_000,
};
const stored = (id: string, agentIndex: number, row: object = {}, workedMs = 0) =>
  ({
    row: { id, agentName: id, agentIndex, task: 'Work.', status: 'ACTIVE', ...row },
    finalAnalysis: null,
    workedMs,
  }) as ExecutionProgress;

interface Earlier {
  /** The sub-agents that an earlier run started. */
  subAgents?: ExecutionProgress[];
  limits?: Partial<typeof orchestrator>;
  /** Time that the agent has worked (ms), and time that it has left. */
  workedMs?: number;
  leftMs?: number;
}

/** Sub-agents that an earlier run left unfinished: `busy` ends on demand or abort; `stuck` is interrupted at once. */
function resumeTwo(
  reason: RunInterruptedError,
  {
    subAgents: earlier = [stored('busy', 2), stored('stuck', 3)],
    limits = {},
    workedMs = 0,
    leftMs = 3_600_000,
  }: Earlier = {},
) {
  const end = Promise.withResolvers<AgentOutcome>();
  const resolved = { orchestrator: { ...orchestrator, ...limits }, subAgents: [{ name: 'log' }] };
  const plan = { name: 'Lead', resolved } as unknown as AgentPlan;
  const progress = { subAgents: new Map([['lead', earlier]]) };
  const time = createTimeBudget(
    { startedAt: 0, endsAt: performance.now() + leftMs, exceeded: Error },
    0,
    new AbortController().signal,
  );
  const agents = { log: { name: 'log', description: 'Reads logs' } };
  const config = { defaults: { timeouts: { conclusionReserveMs: 0 } }, agents };
  const masking = { maskArguments: (_: string, text: string) => text };
  const run = { signal: new AbortController().signal, time, config, masking } as unknown as SessionRun;
  const tree = agentTree(1, progress as unknown as StageProgress);
  const own = { workedMs } as ExecutionProgress;
  const agent = { plan, ids: { stageId: 'stage', executionId: 'lead' }, progress: own, tree };
  const endsAt = new Map<string, number>();
  const subAgents = openSubAgents(run, agent, ({ signal, time: own }, { plan: { name } }) => {
    endsAt.set(name, own.endsAt);
    if (name === 'stuck') return Promise.reject(reason);
    signal.addEventListener('abort', () => end.reject(signal.reason));
    return end.promise;
  });
  subAgents.resume();
  return {
    subAgents,
    endsAt,
    call: (name: string, args: object) =>
      subAgents.tools
        .find((tool) => tool.name === name)!
        .run({ ...args }, { id: 'call', name, arguments: '' }),
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

const DISPATCH = ['tarsy.dispatch_agent', { name: 'log', task: 'Look.' }] as const;

test.each<[string, Earlier, string]>([
  ['all sub-agents', { limits: { maxAgents: 2 } }, 'All 2 sub-agents have been given tasks.'],
  ['its time', { workedMs: 60_000 }, 'The time for sub-agents (1m) is over.'],
  ['as many at once as it may', { limits: { maxConcurrentAgents: 1 } }, 'sub-agents are working'],
  ['its own time', { leftMs: 0 }, 'You must conclude now, so no sub-agent can start.'],
])('after a restart, an agent that has used %s starts no other', async (_, earlier, refusal) => {
  const { subAgents, call, end } = resumeTwo(new WaitingForApprovalError(), earlier);
  await expect(call(...DISPATCH)).rejects.toThrow(refusal);
  end();
  await subAgents.stop(new WaitingForApprovalError());
});

test('a sub-agent that has ended makes room for another', async () => {
  const earlier = { subAgents: [stored('busy', 2)], limits: { maxConcurrentAgents: 1 } };
  const { subAgents, call, end } = resumeTwo(new HandedOverError(), earlier);
  const dispatch = () => call('tarsy.dispatch_agent', { name: 'other', task: 'Look.' });
  await expect(dispatch()).rejects.toThrow('1 sub-agents are working');
  end();
  await subAgents.nextEnd();
  await expect(dispatch()).rejects.toThrow('There is no sub-agent other.');
});

test('a call that is repeated after a crash finds its sub-agent', async () => {
  const id = subAgentId('lead', 'call', 'Look.');
  const { subAgents, call, end } = resumeTwo(new HandedOverError(), {
    subAgents: [stored(id, 2, { agentName: 'busy' })],
  });
  expect(await call(...DISPATCH)).toBe(`busy works on it as ${id}.`);
  expect(subAgents.all()).toHaveLength(1);
  end();
  await subAgents.nextEnd();
});

test('the time of a sub-agent continues after a restart', async () => {
  const late = stored('busy', 2, {}, 60_000);
  const { subAgents, statuses } = resumeTwo(new HandedOverError(), { subAgents: [late] });
  await subAgents.nextEnd();
  expect(statuses()).toEqual(['busy TIMED_OUT']);
});

test('a sub-agent without a time limit of its own has the time of its agent', async () => {
  const limits = { agentTimeoutMs: null as unknown as number };
  const old = stored('busy', 2, {}, 60_000);
  const { subAgents, endsAt, end } = resumeTwo(new HandedOverError(), { subAgents: [old], limits });
  expect(endsAt.get('busy')).toBeGreaterThan(performance.now());
  end();
  await subAgents.nextEnd();
});

test('waits for the end of a running sub-agent, besides those that have ended', async () => {
  const failed = stored('failed', 3, { status: 'FAILED', errorMessage: 'No key.' });
  const { subAgents, statuses, end } = resumeTwo(new HandedOverError(), {
    subAgents: [stored('busy', 2), failed],
  });
  expect(subAgents.all()[1]).toMatchObject({ status: 'FAILED', errorMessage: 'No key.' });
  const order: string[] = [];
  const ended = subAgents.nextEnd().then(() => order.push('ended'));
  await setImmediate();
  order.push('waited');
  end();
  await ended;
  expect(order).toEqual(['waited', 'ended']);
  expect(statuses()).toEqual(['busy COMPLETED', 'failed FAILED']);
});

test('a cancelled sub-agent has ended when the call returns, unless it was interrupted', async () => {
  const reason = new HandedOverError();
  const { call, statuses } = resumeTwo(reason);
  expect(await call('tarsy.cancel_agent', { execution_id: ' busy ' })).toContain('cancelled');
  expect(statuses()).toEqual(['busy CANCELLED', 'stuck ACTIVE']);
  await expect(call('tarsy.cancel_agent', { execution_id: 'stuck' })).rejects.toBe(reason);
  await expect(call('tarsy.cancel_agent', { execution_id: 'other' })).rejects.toThrow(
    'You have no sub-agent other.',
  );
});

test('continues the indexes of stored sub-agents, and counts those at every depth', () => {
  const subAgents = new Map([
    ['lead', [stored('busy', 2), stored('stuck', 3)]],
    ['busy', [stored('leaf', 4)]],
  ]);
  const tree = agentTree(1, { subAgents } as unknown as StageProgress);
  expect([tree.nextIndex(), tree.nextIndex()]).toEqual([5, 6]);
  expect(['lead', 'busy', 'leaf'].map(tree.countBelow)).toEqual([3, 1, 0]);
});
