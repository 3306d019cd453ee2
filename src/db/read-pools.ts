import type pg from 'pg';
import type { Logger } from 'pino';
import { openPool } from './pool.ts';

const APPLICATION = 'tarsy-api-reads';

/** Connections of what people read, and of what they search: a search takes a processor of the database for itself. */
const READS = { max: 10, statementTimeoutMs: 10_000 };
const SEARCHES = { max: 2, statementTimeoutMs: 5_000 };

/** Pools of their own: what people read and search waits for itself alone, never a submission, a run or a look at health. */
export function openReadPools(url: string, logger: Logger): { reads: pg.Pool; searches: pg.Pool } {
  return {
    reads: openPool(url, { ...READS, application: APPLICATION, logger }),
    searches: openPool(url, { ...SEARCHES, application: APPLICATION, logger }),
  };
}
