import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isTransient } from '../../db/transient.ts';

/** Milliseconds until the first further attempt, and at most between two: a database that is back must not wait long. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

export interface Patience {
  /** Ends the waiting: what was tried last is thrown then. */
  signal: AbortSignal;
  logger: Logger;
}

/**
 * Does something again and again while the database is away, busy or read only, however long that takes. `work` must
 * bear to be done twice: an attempt that failed may have been committed.
 * @throws what is no matter of time; the last error when the signal aborts
 */
export async function patiently<T>({ signal, logger }: Patience, work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
      if (attempt === 0) logger.warn({ err: error }, 'the database is away or busy, trying again');
      await pause(attempt, signal);
      if (signal.aborted) throw error;
    }
  }
}

/** Waits before the attempt after this one (from 0), longer from one to the next; ends early, without an error, with the signal. */
export async function pause(attempt: number, signal: AbortSignal): Promise<void> {
  const longest = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS);
  const wait = longest * (0.5 + Math.random() / 2); // not all at the same moment
  await delay(wait, undefined, { signal }).catch(() => {});
}
