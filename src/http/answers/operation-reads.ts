import type { Pool } from 'pg';
import type { Visibility } from '../../access/visibility.ts';
import type { Queryable } from '../../db/queryable.ts';
import { createLoaders } from '../../resolvers/loaders.ts';
import { boundedReads, createReadPool } from '../../resolvers/reads/bounded-reads.ts';
import { createReads } from '../../resolvers/reads/index.ts';
import { describeTables, type ReadDb } from '../../resolvers/reads/tables.ts';
import type { Context } from '../../schema/context.ts';
import { MAX_EVENT_BYTES, MAX_READS_WAITING, MAX_SEARCHES_WAITING } from '../tunables.ts';
import type { ReadsFor } from './bounded-answers.ts';
import type { Ledger } from './ledger.ts';

/** Client name of all subscriptions. They count as one client, because an event is read once for all of them. */
const STREAMS = 'streams';

export type StreamReads = Pick<Context, 'reads' | 'loaders'>;

export function createOperationReads(deps: { pool: Pool; searchPool: Pool; ledger: Ledger }): {
  /** Returns the readers for one answer. They are created at their first use, and their loaders cache rows. */
  ofAnswer: ReadsFor;
  /** Returns the readers for a subscription. They cache nothing, and each statement has its own memory account. */
  ofStream: (sight: Visibility) => StreamReads;
} {
  const tables = describeTables();
  const make = (db: ReadDb, cache: boolean) => ({
    reads: createReads(db),
    loaders: createLoaders(db, { cache }),
  });
  const reads = createReadPool(deps.pool, 'Reading', MAX_READS_WAITING);
  const searches = createReadPool(deps.searchPool, 'The search', MAX_SEARCHES_WAITING);
  const pool: Queryable = {
    async query(statement, values) {
      const answer = deps.ledger.open({ limit: MAX_EVENT_BYTES, client: STREAMS });
      try {
        return await boundedReads(reads, answer, STREAMS).query(statement, values);
      } finally {
        answer.close();
      }
    },
  };
  return {
    ofAnswer(answer, client, sight) {
      let made: StreamReads | null = null;
      const own = () => {
        const bounded = (of: typeof reads) => boundedReads(of, answer, client);
        made ??= make({ pool: bounded(reads), search: bounded(searches), tables, sight }, true);
        return made;
      };
      return {
        get reads() {
          return own().reads;
        },
        get loaders() {
          return own().loaders;
        },
      };
    },
    ofStream: (sight) => make({ pool, search: pool, tables, sight }, false),
  };
}
