import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  concludeBy,
  conclusionRequested,
  createTimeBudget,
  isRequested,
  isReserveReason,
  isTimeUp,
  shortestBudget,
  workSignal,
} from './time-budget.ts';

beforeEach(() => {
  vi.useFakeTimers();
  asked = new AbortController();
});
afterEach(() => {
  vi.useRealTimers();
});

const MINUTE = 60_000;
const signal = new AbortController().signal;
let asked = new AbortController();

/** A budget of this time from now on (ms), with a reserve of 3 minutes. */
function budget(limitMs: number) {
  const startedAt = performance.now();
  const exceeded = () => new Error('over');
  return createTimeBudget({ startedAt, endsAt: startedAt + limitMs, exceeded }, 3 * MINUTE, asked.signal);
}

test.each([
  [40 * MINUTE, 37 * MINUTE],
  [12 * MINUTE, 9 * MINUTE],
  [4 * MINUTE, 3 * MINUTE],
  [8_000, 6_000],
])(
  'of %i ms, work takes %i ms at most, because the reserve is at most a quarter',
  async (limitMs, workMs) => {
    const time = budget(limitMs);
    const work = workSignal({ signal, time });
    await vi.advanceTimersByTimeAsync(workMs - 1);
    expect([isTimeUp(time), work.aborted]).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect([isTimeUp(time), work.aborted]).toEqual([true, true]);
    expect(isReserveReason({ signal, time }, work.reason)).toBe(true);
    expect(isReserveReason({ signal: AbortSignal.abort(), time }, work.reason)).toBe(false);
    expect(isReserveReason({ signal, time }, new DOMException('', 'TimeoutError'))).toBe(false);
  },
);

test('each concluding step leaves a quarter of the remaining time to what follows', async () => {
  const time = budget(40 * MINUTE);
  expect(concludeBy(time) - time.startedAt).toBe(39.25 * MINUTE);
  await vi.advanceTimersByTimeAsync(39 * MINUTE);
  expect(concludeBy(time) - time.startedAt).toBe(39.75 * MINUTE);
  await vi.advanceTimersByTimeAsync(2 * MINUTE);
  expect(concludeBy(time)).toBe(performance.now());
});

test('work that begins in the reserve gets a quarter of what is left', async () => {
  const time = budget(40 * MINUTE);
  await vi.advanceTimersByTimeAsync(38 * MINUTE);
  const work = workSignal({ signal, time });
  await vi.advanceTimersByTimeAsync(MINUTE / 2 - 1);
  expect(work.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(work.aborted).toBe(true);
  expect(isReserveReason({ signal, time }, work.reason)).toBe(false);
});

test('a request to conclude begins the reserve at once, also of a sub-agent', async () => {
  const time = budget(40 * MINUTE);
  const sub = shortestBudget([{ ...time, endsAt: time.concludeAt }], 3 * MINUTE, time.requested);
  const work = workSignal({ signal, time: sub });
  asked.abort(conclusionRequested());
  for (const each of [time, sub]) expect([isTimeUp(each), isRequested(each)]).toEqual([true, true]);
  expect(isReserveReason({ signal, time: sub }, work.reason)).toBe(true);
  expect(isRequested(budget(MINUTE))).toBe(true);
});

test('a request after the reserve has begun is not why the run concludes', async () => {
  const time = budget(MINUTE);
  await vi.advanceTimersByTimeAsync(MINUTE);
  asked.abort(conclusionRequested());
  expect([isTimeUp(time), isRequested(time)]).toEqual([true, false]);
});

test('a sub-agent concludes before the reserve of its agent, and before a limit of its own', () => {
  const parent = budget(40 * MINUTE);
  const { startedAt, concludeAt: endsAt } = parent;
  const ofParent = { startedAt, endsAt, exceeded: () => new Error('of parent') };
  const inherited = shortestBudget([ofParent], 3 * MINUTE, asked.signal);
  expect([inherited.concludeAt, inherited.endsAt].map((at) => at - startedAt)).toEqual([
    34 * MINUTE,
    37 * MINUTE,
  ]);
  const own = { startedAt, endsAt: startedAt + 2 * MINUTE, exceeded: () => new Error('its own') };
  const limited = shortestBudget([ofParent, own], 3 * MINUTE, asked.signal);
  expect(limited.concludeAt - startedAt).toBe(1.5 * MINUTE);
  expect(limited.exceeded().message).toBe('its own');
});
