import type pg from 'pg';
import type { Queryable } from '../events/log.ts';

/** Runs `work` in one transaction: all of it commits, or nothing. */
export type Transaction = <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>;

export function createTransaction(pool: pg.Pool): Transaction {
  return async (work) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
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
