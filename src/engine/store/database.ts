import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { jittered } from '../../common/jitter.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import { isTransient, transienceOf } from '../../db/transient.ts';
import { DatabaseUnavailableError, RunInterruptedError } from '../common/interruptions.ts';
import type { Notice } from '../live/notices.ts';
import { type Publisher, withPublishing } from '../live/publisher.ts';

/**
 * Wraps the database for a run. Retries a statement that certainly had no effect. Interrupts the run if the effect is
 * unknown. `closed` aborts with a RunInterruptedError when the run must not write any more.
 */
export function leasedDatabase(
  pool: Queryable,
  closed: AbortSignal,
  interrupt: (reason: RunInterruptedError) => void,
): Queryable {
  const unlessClosed = untilClosed(closed);
  return {
    async query<T extends object>(statement: string | { name: string; text: string }, values?: unknown[]) {
      for (let attempt = 0; ; attempt += 1) {
        closed.throwIfAborted();
        try {
          return await unlessClosed(pool.query<T>(statement, values));
        } catch (error) {
          if (error instanceof RunInterruptedError) throw error;
          const transience = transienceOf(error);
          if (transience === null) throw error;
          if (transience === 'UNKNOWN') {
            const reason = new DatabaseUnavailableError(error);
            interrupt(reason);
            throw reason;
          }
          await waitBeforeRetry(attempt, closed);
        }
      }
    },
  };
}

/** Returns a wrapper that rejects pending queries when `closed` aborts, because answers may come late or never. */
function untilClosed(closed: AbortSignal) {
  const waiting = new Set<(reason: unknown) => void>();
  closed.addEventListener('abort', () => {
    for (const giveUp of waiting) giveUp(closed.reason);
  });
  return <T>(answer: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.add(reject);
      void answer.then(resolve, reject).finally(() => waiting.delete(reject));
    });
}

/** Returns the function that runs transactions. Events logged in a transaction are published after its commit. */
export function createTransaction(pool: pg.Pool, publisher: Pick<Publisher, 'publish'>): Transaction {
  return async (work) => {
    const client = await pool.connect();
    const logged: Notice[] = [];
    const tx = withPublishing(client, { publish: async (more) => void logged.push(...more) });
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const result = await work(tx);
      await client.query('commit');
      if (logged.length > 0) void publisher.publish(logged);
      return result;
    } catch (error) {
      await client.query('rollback').catch((rollbackError: Error) => {
        broken = rollbackError; // makes the pool drop the connection
      });
      throw error;
    } finally {
      client.release(broken);
    }
  };
}

/** First and maximum wait before a retry (ms). Short, so that runs resume as soon as the database is back. */
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 2_000;

/**
 * Repeats `work` while the database is unavailable, busy or read-only, without a time limit. `work` must be idempotent,
 * because a failed attempt may have been committed.
 * @throws errors that are not transient; the last error once the signal aborts
 */
export async function retryWhileDatabaseDown<T>(
  { signal, logger }: { signal: AbortSignal; logger: Logger },
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
      if (attempt === 0) logger.warn({ err: error }, 'database unavailable, retrying');
      await waitBeforeRetry(attempt, signal);
      if (signal.aborted) throw error;
    }
  }
}

/** Waits after a failed attempt (counted from 0), longer each time. Ends early without an error if `signal` aborts. */
async function waitBeforeRetry(attempt: number, signal: AbortSignal): Promise<void> {
  const wait = jittered(Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS));
  await delay(wait, undefined, { signal }).catch(() => {});
}
