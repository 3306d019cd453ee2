import type { Socket } from 'node:net';
import pg from 'pg';
import type { Logger } from 'pino';

/** Milliseconds to wait for a connection before a query fails, so that an unreachable database blocks no caller. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Milliseconds after which the server ends an idle transaction, because a frozen process would keep its locks. */
const IDLE_TRANSACTION_MS = 5_000;

export interface PoolOptions {
  /** Maximum connections; default 10. */
  max?: number;
  application: string;
  /** Milliseconds that one statement may take; default 10 s. */
  statementTimeoutMs?: number;
  /** Milliseconds after the statement timeout at which a still silent connection is closed; default 2 s. */
  silenceGraceMs?: number;
  parameters?: Readonly<Record<string, string>>;
  logger: Logger;
}

/**
 * Opens a pool for hand-written SQL. No query hangs, because the server ends slow statements and the pool closes silent
 * connections. Values of bigint columns are returned as numbers, because all of them are counts below 2^53.
 */
export function openPool(url: string, options: PoolOptions): pg.Pool {
  const { max = 10, statementTimeoutMs = 10_000, silenceGraceMs = 2_000 } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: Math.min(CONNECT_TIMEOUT_MS, statementTimeoutMs),
    application_name: options.application,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    statement_timeout: statementTimeoutMs,
    options: Object.entries(options.parameters ?? {})
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  });
  // The pool replaces a broken idle connection. Without a handler, the error event would end the process.
  pool.on('error', (error) => options.logger.warn(reasonOf(error), 'idle database connection lost'));
  pool.on('connect', (client) => {
    // A query fails if its connection breaks. Without a handler, the error event would also end the process.
    client.on('error', (error) => options.logger.debug(reasonOf(error), 'database connection broke'));
    closeWhenSilent(client, statementTimeoutMs + silenceGraceMs);
  });
  return pool;
}

/**
 * Opens separate pools for reads and searches of the API, so that these never delay submissions, runs or health checks.
 */
export function openReadPools(url: string, logger: Logger): { reads: pg.Pool; searches: pg.Pool } {
  const application = 'tarsy-api-reads';
  return {
    reads: openPool(url, { application, logger }),
    // Few connections, because each search occupies a processor of the database.
    searches: openPool(url, { max: 2, statementTimeoutMs: 5_000, application, logger }),
  };
}

/**
 * Closes a connection that receives nothing for `silentMs` while a query waits, because a dead server causes no error.
 * pg's `query_timeout` does not suffice, because it fails the query but keeps the connection.
 */
function closeWhenSilent(client: pg.PoolClient, silentMs: number): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.on('timeout', () => {
    const error = new Error(`the database sent nothing for ${silentMs} ms`);
    stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  });
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((...args: unknown[]) => {
    stream.setTimeout(silentMs);
    return query(...args);
  }) as typeof client.query;
  client.on('drain', () => stream.setTimeout(0)); // no timeout while no query waits
}

/** Returns the loggable part of an error, without its client, which contains query texts. */
function reasonOf(error: Error): { reason: string; code: unknown } {
  return { reason: error.message, code: 'code' in error ? error.code : undefined };
}

const INT8 = 20;

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === INT8) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}
