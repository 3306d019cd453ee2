import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { oneAtATime } from './one-at-a-time.ts';

it('lets one holder work at a time, and the next one also after a failure', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'tarsy-lock-'));
  try {
    let [atWork, most] = [0, 0];
    const work = (fails: boolean) =>
      oneAtATime(join(dir, 'lock'), async () => {
        most = Math.max(most, ++atWork);
        await nextRound();
        atWork -= 1;
        if (fails) throw new Error('no such package');
        return 'done';
      });
    expect(await Promise.allSettled([work(false), work(true), work(false)])).toMatchObject([
      { value: 'done' },
      { reason: { message: 'no such package' } },
      { value: 'done' },
    ]);
    expect(most).toBe(1);
  } finally {
    await rm(dir, { recursive: true });
  }
});
