import { pino } from 'pino';
import { expect, it } from 'vitest';
import { type Running, supervise } from './supervise.ts';

const logger = pino({ level: 'silent' });

function bench() {
  const lives: { end(reason: string): void; stopped: boolean; previous: number | undefined }[] = [];
  let wake: (() => void) | undefined;
  let failNext: Error | undefined;
  const launch = async (previous: number | undefined): Promise<Running<number>> => {
    if (failNext) {
      const error = failNext;
      failNext = undefined;
      throw error;
    }
    const { promise: exited, resolve: end } = Promise.withResolvers<string>();
    const life = { end, stopped: false, previous };
    lives.push(life);
    wake?.();
    return {
      value: previous ?? 7,
      exited,
      stop: async () => {
        life.stopped = true;
        end('stopped');
      },
    };
  };
  return {
    lives,
    launch,
    failNext: (error: Error) => {
      failNext = error;
    },
    nextLife: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      }),
  };
}

it('restarts with the value of the first launch, even after a failed attempt', async () => {
  const { lives, launch, failNext, nextLife } = bench();
  const supervised = await supervise({ name: 'x', logger, launch });
  const second = nextLife();
  failNext(new Error('not yet'));
  lives[0]!.end('crash');
  await second;
  expect(lives[1]!.previous).toBe(7);
  await supervised.stop();
  expect(lives.map(({ stopped }) => stopped)).toEqual([false, true]);
});

it('passes on the first failure and stops while waiting for a retry', async () => {
  const { lives, launch, failNext } = bench();
  failNext(new Error('no'));
  await expect(supervise({ name: 'x', logger, launch })).rejects.toThrow('no');
  const supervised = await supervise({ name: 'x', logger, launch });
  lives[0]!.end('crash');
  await supervised.stop();
  await supervised.stop();
  expect(lives).toHaveLength(1);
});
