import type pg from 'pg';
import type { Transaction } from '../../db/queryable.ts';
import { type Announcement, type Announcer, announcing } from '../live/announcer.ts';

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
