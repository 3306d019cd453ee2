import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openExecutor } from '../../test/helpers/mcp/executor.ts';
import { startInTurn } from './start-turns.ts';
import type { McpServerSettings } from './types.ts';

const AT_A_TIME = 2 * availableParallelism();
const lifetime = new AbortController().signal;

/** Takes all turns with starts that do not end by themselves. @returns what ends each */
const takeAll = () =>
  Array.from({ length: AT_A_TIME }, () => {
    const start = Promise.withResolvers<void>();
    void startInTurn(() => start.promise, lifetime);
    return start;
  });

it('starts what waits when one has started or failed, in its order', async () => {
  const turns = takeAll();
  const begun: number[] = [];
  const waiting = [0, 1, 2].map((n) => startInTurn(async () => begun.push(n), lifetime));
  await nextRound();
  expect(begun).toEqual([]);
  turns[0]!.resolve();
  await waiting[2];
  expect(begun).toEqual([0, 1, 2]);
  for (const { resolve } of turns) resolve();
  const failed = startInTurn(() => Promise.reject(new Error('no such program')), lifetime);
  await expect(failed).rejects.toThrow('no such program');
});

it('does not wait long for starts that hang', async () => {
  const turns = takeAll();
  expect(await startInTurn(async () => 'started', lifetime)).toBe('started');
  for (const { resolve } of turns) resolve();
});

it('waits no more when there is no need for it any longer', async () => {
  const turns = takeAll();
  const ending = new AbortController();
  let isStarted = false;
  const waiting = startInTurn(async () => (isStarted = true), ending.signal);
  ending.abort(new Error('the investigation was cancelled'));
  await expect(waiting).rejects.toThrow('the investigation was cancelled');
  for (const { resolve } of turns) resolve();
  await startInTurn(async () => {}, lifetime); // whoever comes later has had a turn
  expect(isStarted).toBe(false);
});

it('leaves it to the start to end what has begun', async () => {
  const ending = new AbortController();
  const closed = Promise.withResolvers<string>();
  const started = startInTurn(() => closed.promise, ending.signal);
  await nextRound();
  ending.abort();
  await nextRound();
  closed.resolve('closed in order');
  expect(await started).toBe('closed in order');
});

it('starts the programs of many agents that come at once a few at a time', async () => {
  const agents = 6 * AT_A_TIME;
  const dir = await mkdtemp(join(tmpdir(), 'tarsy-turns-'));
  try {
    const log = join(dir, 'started');
    const program = ['-c', 'echo >> "$0"; read question; exit 3', log];
    const transport: McpServerSettings['transport'] = {
      type: 'stdio',
      command: 'sh',
      args: program,
      env: {},
    };
    let [ended, most] = [0, 0];
    const agent = async () => {
      const executor = await openExecutor([{ id: 'odd', transport }]);
      most = Math.max(most, readFileSync(log, 'utf8').length - ended);
      ended += 1;
      await executor.close();
    };
    await Promise.all(Array.from({ length: agents }, agent));
    expect(most).toBeLessThanOrEqual(agents / 2); // some more than may, where one starts for long
  } finally {
    await rm(dir, { recursive: true });
  }
});
