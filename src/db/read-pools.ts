import type pg from 'pg';
import type { Logger } from 'pino';
import { openPool } from './pool.ts';

const APPLICATION = 'tarsy-api-reads';

/** Pool sizes. Searches get few connections, because each one occupies a processor of the database. */
const READS = { max: 10, statementTimeoutMs: 10_000 };
const SEARCHES = { max: 2, statementTimeoutMs: 5_000 };

/** Opens separate pools for the API's reads and searches, so that these never delay submissions, runs or health checks. */
export function openReadPools(url: string, logger: Logger): { reads: pg.Pool; searches: pg.Pool } {
  return {
    reads: openPool(url, { ...READS, application: APPLICATION, logger }),
    searches: openPool(url, { ...SEARCHES, application: APPLICATION, logger }),
  };
}
