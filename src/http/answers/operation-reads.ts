import type { Pool } from 'pg';
import type { Visibility } from '../../access/visibility.ts';
import type { ReadPools } from '../../db/pool.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { ReadReplica } from '../../db/read-replica.ts';
import { createLoaders } from '../../resolvers/loaders.ts';
import { boundedReads, createReadPool, type ReadPool } from '../../resolvers/reads/bounded-reads.ts';
import { chooseServer, chooseServerOfSearch, readsOfEither } from '../../resolvers/reads/either-server.ts';
import { createReads } from '../../resolvers/reads/index.ts';
import { describeTables, type ReadDb } from '../../resolvers/reads/tables.ts';
import type { Context } from '../../schema/context.ts';
import { MAX_EVENT_BYTES, MAX_READS_WAITING, MAX_SEARCHES_WAITING } from '../tunables.ts';
import type { ReadsFor } from './bounded-answers.ts';
import type { Ledger } from './ledger.ts';

/** Client name of all subscriptions. They count as one client, because an event is read once for all of them. */
const STREAMS = 'streams';

export type StreamReads = Pick<Context, 'reads' | 'loaders'>;

/** A replica that answers reads of queries, and its pools. */
export type ReplicaReads = Pick<ReadReplica, 'isCurrent' | 'failed'> & { pools: ReadPools };

export function createOperationReads(deps: {
  pool: Pool;
  searchPool: Pool;
  /** `null` if the primary answers all reads. Default: `null`. */
  replica?: ReplicaReads | null;
  ledger: Ledger;
}): {
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
  const { replica = null } = deps;
  const open = (pools: ReadPools) => ({
    reads: createReadPool(pools.reads, 'Reading', MAX_READS_WAITING),
    searches: createReadPool(pools.searches, 'The search', MAX_SEARCHES_WAITING),
  });
  const primary = open({ reads: deps.pool, searches: deps.searchPool });
  const copy = replica && { ...open(replica.pools), replica };
  const pool: Queryable = {
    async query(statement, values) {
      const answer = deps.ledger.open({ limit: MAX_EVENT_BYTES, client: STREAMS });
      try {
        return await boundedReads(primary.reads, answer, STREAMS).query(statement, values);
      } finally {
        answer.close();
      }
    },
  };
  return {
    ofAnswer({ answer, client, sight, isQuery }) {
      let made: StreamReads | null = null;
      const own = () => {
        if (made !== null) return made;
        const bounded = (of: ReadPool) => boundedReads(of, answer, client);
        const [pool, index] = [bounded(primary.reads), bounded(primary.searches)];
        const ofPrimary = { pool, search: index, index, tables, sight };
        made = make(copy && isQuery ? eitherReads(ofPrimary, copy, bounded) : ofPrimary, true);
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
    ofStream: (sight) => make({ pool, search: pool, index: pool, tables, sight }, false),
  };
}

/** Returns reads from the replica or from the primary. `bounded` limits the reads of a pool. */
function eitherReads(
  primary: ReadDb,
  copy: { reads: ReadPool; searches: ReadPool; replica: ReplicaReads },
  bounded: (of: ReadPool) => Queryable,
): ReadDb {
  const server = chooseServer(copy.replica);
  const ofSearch = chooseServerOfSearch(copy.replica, server);
  return {
    ...primary,
    pool: readsOfEither({ primary: primary.pool, replica: bounded(copy.reads), server }),
    search: readsOfEither({ primary: primary.search, replica: bounded(copy.searches), server: ofSearch }),
  };
}
