import type pg from 'pg';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import { transienceOf } from '../../db/transient.ts';
import { BreakOffError, DatabaseAwayError } from '../common/interruptions.ts';
import { pause } from '../common/retry-while-database-down.ts';
import { type Announcement, type Announcer, announcing } from '../live/announcer.ts';

/**
 * The database as a run sees it: closed as soon as the run must not write any more. What the database surely did not
 * do is sent again while the run holds its lease; where that is not sure, the run breaks off.
 * @param closed aborts with a BreakOffError from when on nothing may be written
 * @param breakOff ends the run
 */
export function heldDatabase(
  pool: Queryable,
  closed: AbortSignal,
  breakOff: (reason: BreakOffError) => void,
): Queryable {
  const unlessClosed = untilClosed(closed);
  return {
    async query<T extends object>(statement: string | { name: string; text: string }, values?: unknown[]) {
      for (let attempt = 0; ; attempt += 1) {
        closed.throwIfAborted();
        try {
          return await unlessClosed(pool.query<T>(statement, values));
        } catch (error) {
          if (error instanceof BreakOffError) throw error;
          const transience = transienceOf(error);
          if (transience === null) throw error;
          if (transience === 'UNKNOWN') {
            const reason = new DatabaseAwayError(error);
            breakOff(reason);
            throw reason;
          }
          await pause(attempt, closed);
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
export function createTransaction(pool: pg.Pool, announcer: Pick<Announcer, 'announce'>): Transaction {
  return async (work) => {
    const client = await pool.connect();
    const logged: Announcement[] = [];
    const tx = announcing(client, { announce: async (more) => void logged.push(...more) });
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const result = await work(tx);
      await client.query('commit');
      if (logged.length > 0) void announcer.announce(logged);
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
