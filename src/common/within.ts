import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits at most `limitMs` for `work`, which continues after the limit.
 * @returns true if it ended in time
 * @throws what `work` throws in time
 */
export async function within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(limitMs, false, { signal: timer.signal }).catch(() => false); // aborted: in time
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    timer.abort();
  }
}
