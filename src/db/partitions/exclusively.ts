import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Queryable } from '../queryable.ts';

/** Longest wait (ms) for a lock that stops readers and writers, because these queue behind the waiting statement. */
const LOCK_TIMEOUT_MS = 100;

/** Pauses (ms) before the retries, in which other statements proceed. */
const RETRY_MS = [250, 500, 1_000, 2_000, 5_000, 5_000, 5_000, 10_000, 10_000, 10_000];

/**
 * Runs statements that lock out readers and writers for milliseconds, as one transaction. Gives up a lock that it does not
 * get soon, and retries for less than a minute, because a backup or autovacuum may hold it for longer.
 * @throws the last error, if the lock stayed unavailable or `signal` aborted
 */
export async function exclusively(
  db: Queryable,
  sql: string,
  { signal, logger }: { signal?: AbortSignal | undefined; logger: Logger },
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      // PostgreSQL runs the statements of one message as one transaction.
      return void (await db.query(`set local lock_timeout = '${LOCK_TIMEOUT_MS}ms';\n${sql}`));
    } catch (error) {
      const pause = RETRY_MS[attempt];
      if (!isLocked(error) || pause === undefined) throw error;
      logger.debug({ attempt }, 'partitioning waits for a lock, retrying');
      await delay(pause, undefined, { signal });
    }
  }
}

/** SQLSTATEs lock_not_available and deadlock_detected. */
const LOCKED: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

export function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return LOCKED.has('code' in error && error.code) || isLocked(error.cause);
}
