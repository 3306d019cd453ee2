import pg from 'pg';
import type { Logger } from 'pino';

/** Milliseconds to wait for a connection before a query fails: a database that is down must not hang callers. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Milliseconds after which the server ends a transaction that does nothing. A process that freezes in one would
 * otherwise hold its locks, the one under which slots are given among them, against everybody else.
 */
const IDLE_TRANSACTION_MS = 5_000;

/**
 * The pool for hand-written SQL. `application` is the name that the server shows for its connections. bigint arrives as a number: the only such columns are token counts, which
 * stay below 2^53.
 */
export function openPool(
  url: string,
  options: { max?: number; application: string; logger: Logger },
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: options.application,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    types: { getTypeParser },
  });
  // An idle connection that breaks is replaced by the pool; unhandled, its error would end the process.
  pool.on('error', (error) => options.logger.warn(reasonOf(error), 'idle database connection lost'));
  // One in use that breaks fails its query; the event besides is no news, but unhandled it would end the process.
  pool.on('connect', (client) =>
    client.on('error', (error) => options.logger.debug(reasonOf(error), 'database connection broke')),
  );
  return pool;
}

/** What broke, without the client that such an error carries: it holds the texts of queries. */
function reasonOf(error: Error): { reason: string; code: unknown } {
  return { reason: error.message, code: 'code' in error ? error.code : undefined };
}

const INT8 = 20;

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === INT8) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}
