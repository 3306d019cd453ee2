import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runPeriodically } from './periodic.ts';

const LONG = { timeout: 20_000, interval: 5 };

let log: { level: number; msg: string; task?: string; failures?: number }[];
let rounds: number;
let task: { stop(): Promise<void> };
/** Work of one round, set by each test. */
let round: () => Promise<void>;
beforeEach(() => {
  log = [];
  rounds = 0;
});
afterEach(() => task.stop());

function start(): void {
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(JSON.parse(line)) });
  const counted = () => {
    rounds += 1;
    return round();
  };
  task = runPeriodically(counted, { task: 'count', everyMs: 5, logger });
}
const more = async (count = 5) => {
  const before = rounds;
  await expect.poll(() => rounds, LONG).toBeGreaterThan(before + count);
};

test('continues after failures and logs only the first failure and the recovery', async () => {
  let isAway = true;
  round = async () => {
    if (isAway) throw new Error('away');
  };
  start();
  await more();
  expect(log).toMatchObject([{ level: 40, msg: 'task failed, retrying', task: 'count' }]);
  isAway = false;
  await more();
  expect(log.slice(1)).toEqual([
    expect.objectContaining({
      level: 30,
      msg: 'task recovered',
      task: 'count',
      failures: expect.any(Number),
    }),
  ]);
  isAway = true;
  await more();
  expect(log.map(({ msg }) => msg).slice(2)).toEqual(['task failed, retrying']);
});

test('runs one round at a time, and stop waits for it', async () => {
  const gate = Promise.withResolvers<void>();
  round = () => gate.promise;
  start();
  const other = runPeriodically(async () => {}, {
    task: 'other',
    everyMs: 5,
    logger: pino({ level: 'silent' }),
  });
  let stopped = false;
  const stopping = task.stop().then(() => {
    stopped = true;
  });
  await other.stop();
  expect([rounds, stopped]).toEqual([1, false]);
  gate.resolve();
  await stopping;
});
