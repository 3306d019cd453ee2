import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { callTool, hostileServer, openExecutor } from '../../test/helpers/mcp/executor.ts';
import { limitStarts } from './start-limiter.ts';
import type { McpServerSettings } from './types.ts';

const AT_A_TIME = availableParallelism();
const lifetime = new AbortController().signal;

/** Occupies all slots with starts that hang. @returns a function to end each */
const takeAll = (times = 1) =>
  Array.from({ length: times * AT_A_TIME }, () => {
    const start = Promise.withResolvers<void>();
    void limitStarts('odd', () => start.promise, lifetime);
    return start;
  });

it('runs waiting starts in order when one has succeeded or failed', async () => {
  const turns = takeAll();
  const begun: number[] = [];
  const waiting = [0, 1, 2].map((n) => limitStarts('odd', async () => begun.push(n), lifetime));
  await nextRound();
  expect(begun).toEqual([]);
  turns[0]!.resolve();
  await waiting[2];
  expect(begun).toEqual([0, 1, 2]);
  for (const { resolve } of turns) resolve();
  const failed = limitStarts('odd', () => Promise.reject(new Error('no such program')), lifetime);
  await expect(failed).rejects.toThrow('no such program');
});

it('frees the slots of hanging starts', async () => {
  const turns = takeAll();
  expect(await limitStarts('odd', async () => 'started', lifetime)).toBe('started');
  for (const { resolve } of turns) resolve();
});

it('starts a server at once while another one hangs', async () => {
  const turns = takeAll(100);
  const order: string[] = [];
  const behind = limitStarts('odd', async () => order.push('odd'), lifetime);
  await limitStarts('other', async () => order.push('other'), lifetime);
  expect(order).toEqual(['other']);
  for (const { resolve } of turns) resolve();
  await behind;
});

it('does not count the wait towards the connect timeout', async () => {
  const turns = takeAll(8); // eight seconds
  const limits = { initTimeoutMs: 7_500, maxResultChars: 1_000, maxTools: 100, maxToolUnits: 100_000 };
  const executor = await openExecutor([hostileServer('odd')], { limits });
  expect((await callTool(executor, 'odd.pid')).content).toMatch(/^\d+$/);
  await executor.close();
  for (const { resolve } of turns) resolve();
});

it('stops waiting when aborted', async () => {
  const turns = takeAll();
  const ending = new AbortController();
  let isStarted = false;
  const waiting = limitStarts('odd', async () => (isStarted = true), ending.signal);
  ending.abort(new Error('the investigation was cancelled'));
  await expect(waiting).rejects.toThrow('the investigation was cancelled');
  for (const { resolve } of turns) resolve();
  await limitStarts('odd', async () => {}, lifetime); // a later start has run
  expect(isStarted).toBe(false);
});

it('does not abort a start that has begun', async () => {
  const ending = new AbortController();
  const closed = Promise.withResolvers<string>();
  const started = limitStarts('odd', () => closed.promise, ending.signal);
  await nextRound();
  ending.abort();
  await nextRound();
  closed.resolve('closed in order');
  expect(await started).toBe('closed in order');
});

it('starts the programs of many simultaneous agents a few at a time', async () => {
  const agents = 12 * AT_A_TIME;
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
    expect(most).toBeLessThanOrEqual(agents / 2); // more than the limit, because a slow start frees its slot
  } finally {
    await rm(dir, { recursive: true });
  }
});
