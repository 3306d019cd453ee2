import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readUntil } from './wait.ts';

// Waiting only moves the clock, so that minutes pass at once.
vi.mock('node:timers/promises', () => ({ setTimeout: async (ms: number) => vi.advanceTimersByTime(ms) }));
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

it('a wait tells each new state at once, and repeats it every 5 s, because clients end silent calls', async () => {
  const told: [number, string][] = [];
  const state = () => (performance.now() < 12_000 ? 'Stage one' : 'Stage two');
  await readUntil(
    { read: async () => state(), isDone: () => false, describe: (value) => value, seconds: 20 },
    {
      signal: new AbortController().signal,
      progress: async (message) => void told.push([performance.now() / 1000, message]),
    },
  );
  expect(told).toEqual([
    [0, 'Stage one'],
    [5, 'Stage one'],
    [10, 'Stage one'],
    [12, 'Stage two'],
    [17, 'Stage two'],
  ]);
});
