import type pg from 'pg';
import type { Queryable } from '../../db/queryable.ts';
import { type Announcement, type Announcer, announcing } from '../events/announcer.ts';

/** Runs `work` in one transaction: all of it commits, or nothing. What it logged is announced after that. */
export type Transaction = <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>;

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
