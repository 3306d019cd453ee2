import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for work, but no longer than so many milliseconds; the work itself goes on.
 * @returns whether it was done in time
 * @throws what the work throws in time
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
