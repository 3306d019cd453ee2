import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { jittered } from '../../common/jitter.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import { isTransient, transienceOf } from '../../db/transient.ts';
import { DatabaseUnavailableError, RunInterruptedError } from '../common/interruptions.ts';
import { type Notice, type Publisher, withPublishing } from '../live/publisher.ts';

/**
 * The database as a run sees it: closed as soon as the run must not write any more. What the database surely did not
 * do is sent again while the run holds its lease; where that is not sure, the run breaks off.
 * @param closed aborts with a RunInterruptedError from when on nothing may be written
 * @param breakOff ends the run
 */
export function leasedDatabase(
  pool: Queryable,
  closed: AbortSignal,
  breakOff: (reason: RunInterruptedError) => void,
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
            breakOff(reason);
            throw reason;
          }
          await waitBeforeRetry(attempt, closed);
        }
      }
    },
  };
}

/** Nobody waits for an answer that is of no use any more, though it may come late, or never. */
function untilClosed(closed: AbortSignal) {
  const waiting = new Set<(reason: unknown) => void>();
  closed.addEventListener('abort', () => {
    for (const giveUp of waiting) giveUp(closed.reason);
  });
  return <T>(answer: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.add(reject);
      const leave = () => waiting.delete(reject);
      // After it was given up, neither is heard.
      answer.then(
        (result) => {
          leave();
          resolve(result);
        },
        (error: unknown) => {
          leave();
          reject(error);
        },
      );
    });
}

/** Creates the transactions of a pool; events that a transaction logged are announced after it commits. */
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
        broken = rollbackError; // the connection is of no more use
      });
      throw error;
    } finally {
      client.release(broken);
    }
  };
}

/** Milliseconds until the first further attempt, and at most between two: a database that is back must not wait long. */
const FIRST_WAIT_MS = 100;

const LONGEST_WAIT_MS = 2_000;

export interface RetryOptions {
  /** Ends the waiting: what was tried last is thrown then. */
  signal: AbortSignal;
  logger: Logger;
}

/**
 * Does something again and again while the database is away, busy or read only, however long that takes. `work` must
 * bear to be done twice: an attempt that failed may have been committed.
 * @throws what is no matter of time; the last error when the signal aborts
 */
export async function retryWhileDatabaseDown<T>(
  { signal, logger }: RetryOptions,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
      if (attempt === 0) logger.warn({ err: error }, 'the database is away or busy, trying again');
      await waitBeforeRetry(attempt, signal);
      if (signal.aborted) throw error;
    }
  }
}

/** Waits before the attempt after this one (from 0), longer from one to the next; ends early, without an error, with the signal. */
async function waitBeforeRetry(attempt: number, signal: AbortSignal): Promise<void> {
  const longest = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS);
  const wait = jittered(longest);
  await delay(wait, undefined, { signal }).catch(() => {});
}
