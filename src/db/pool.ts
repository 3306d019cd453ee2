import type { Socket } from 'node:net';
import pg from 'pg';
import type { Logger } from 'pino';

/** Milliseconds to wait for a connection before a query fails, so that a database that is down does not block callers. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Milliseconds after which the server ends an idle transaction. A frozen process would otherwise keep its locks, such as
 * the one for concurrency slots, and block all other processes.
 */
const IDLE_TRANSACTION_MS = 5_000;

/** Default milliseconds that one statement may take. */
const STATEMENT_TIMEOUT_MS = 10_000;

/**
 * Milliseconds beyond the statement timeout after which a silent connection counts as dead; the server's own timeout error
 * arrives earlier.
 */
const SILENCE_GRACE_MS = 2_000;

/** Milliseconds of idle time before TCP keepalive probes the connection. */
const KEEPALIVE_MS = 10_000;

export interface PoolOptions {
  /** Maximum connections; default 10. */
  max?: number;
  /** application_name of the connections. */
  application: string;
  /** Milliseconds that one statement may take; default 10 s. */
  statementTimeoutMs?: number;
  /** Milliseconds beyond that after which a silent connection counts as dead; default 2 s. */
  silenceGraceMs?: number;
  /** PostgreSQL settings of the connections. */
  parameters?: Readonly<Record<string, string>>;
  logger: Logger;
}

/**
 * Opens a pool for hand-written SQL. No query hangs: the server ends slow statements, and silent connections are closed.
 * bigint arrives as a number, because all such columns are counts below 2^53.
 */
export function openPool(url: string, options: PoolOptions): pg.Pool {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, silenceGraceMs = SILENCE_GRACE_MS } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    connectionTimeoutMillis: Math.min(CONNECT_TIMEOUT_MS, statementTimeoutMs),
    application_name: options.application,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    statement_timeout: statementTimeoutMs,
    options: Object.entries(options.parameters ?? {})
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
    types: { getTypeParser },
  });
  // The pool replaces a broken idle connection; without a handler its error would end the process.
  pool.on('error', (error) => options.logger.warn(reasonOf(error), 'idle database connection lost'));
  pool.on('connect', (client) => {
    // A broken connection in use fails its query; without a handler the event would also end the process.
    client.on('error', (error) => options.logger.debug(reasonOf(error), 'database connection broke'));
    closeWhenSilent(client, statementTimeoutMs + silenceGraceMs);
  });
  return pool;
}

/**
 * Closes a connection that receives nothing for `silentMs` while a query waits, because packets to a dead machine vanish
 * without an error. pg's `query_timeout` does not suffice: it fails the query but keeps the connection.
 */
function closeWhenSilent(client: pg.PoolClient, silentMs: number): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  const silent = () =>
    stream.destroy(
      Object.assign(new Error(`the database said nothing for ${silentMs} ms`), { code: 'ETIMEDOUT' }),
    );
  stream.on('timeout', silent);
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((...args: unknown[]) => {
    stream.setTimeout(silentMs);
    return query(...args);
  }) as typeof client.query;
  client.on('drain', () => stream.setTimeout(0)); // all queries are answered
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
