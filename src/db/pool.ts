import type { Socket } from 'node:net';
import pg from 'pg';
import type { Logger } from 'pino';

/** Milliseconds to wait for a connection before a query fails, so that an unreachable database blocks no caller. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Milliseconds after which the server ends an idle transaction, because a frozen process would keep its locks. */
const IDLE_TRANSACTION_MS = 5_000;

/** Where the connections of a pool go. */
export interface PoolTarget {
  /** URL of PostgreSQL or of a pooler in front of it. Contains a password: never log it. */
  url: string;
  /**
   * True for a pooler that lends a connection for one transaction, such as PgBouncer in transaction mode. Settings and
   * prepared statements of a session do not last there, so the pool uses none.
   */
  isPooler: boolean;
}

/** Returns where statements go that need no session of their own: to the pooler, if the environment names one. */
export function statementTarget(options: {
  databaseUrl: string;
  environment: { databasePoolerUrl: string | null };
}): PoolTarget {
  const { databasePoolerUrl } = options.environment;
  if (databasePoolerUrl !== null) return { url: databasePoolerUrl, isPooler: true };
  return { url: options.databaseUrl, isPooler: false };
}

/** Returns where the API reads from a replica; `null` if the environment names none. */
export function replicaTarget(environment: {
  databaseReadUrl: string | null;
  databasePoolerUrl: string | null;
}): PoolTarget | null {
  const { databaseReadUrl: url, databasePoolerUrl } = environment;
  return url === null ? null : { url, isPooler: databasePoolerUrl !== null };
}

export interface PoolOptions {
  /** Maximum connections; default 10. */
  max?: number;
  /** Milliseconds to wait for a connection; default 10 s, and at most the statement timeout. */
  connectTimeoutMs?: number;
  application: string;
  /** Milliseconds that one statement may take; default 10 s. */
  statementTimeoutMs?: number;
  /** Milliseconds after the statement timeout at which a still silent connection is closed; default 2 s. */
  silenceGraceMs?: number;
  /** Settings of PostgreSQL for each connection. A pooler drops them. */
  parameters?: Readonly<Record<string, string>>;
  /** Checks each new connection before its first use. If the check rejects, so does the query. Default: no check. */
  verify?: (client: pg.PoolClient) => Promise<void>;
  logger: Logger;
}

/**
 * Opens a pool for hand-written SQL. No query hangs, because the server ends slow statements and the pool closes silent
 * connections. Values of bigint columns are returned as numbers, because all of them are counts below 2^53.
 * @param target a URL stands for PostgreSQL itself
 */
export function openPool(target: PoolTarget | string, options: PoolOptions): pg.Pool {
  const { url, isPooler } = typeof target === 'string' ? { url: target, isPooler: false } : target;
  const { max = 10, statementTimeoutMs = 10_000, silenceGraceMs = 2_000, verify } = options;
  const sessionSettings = {
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    statement_timeout: statementTimeoutMs,
    options: Object.entries(options.parameters ?? {})
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  };
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: Math.min(options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS, statementTimeoutMs),
    application_name: options.application,
    ...(isPooler ? {} : sessionSettings), // PgBouncer refuses a connection with settings that it does not know
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
    ...(verify && { verify: (client, done) => void verify(client).then(() => done(), done) }),
  });
  // The pool replaces a broken idle connection. Without a handler, the error event would end the process.
  pool.on('error', (error) => options.logger.warn(reasonOf(error), 'idle database connection lost'));
  pool.on('connect', (client) => {
    // A query fails if its connection breaks. Without a handler, the error event would also end the process.
    client.on('error', (error) => options.logger.debug(reasonOf(error), 'database connection broke'));
    closeWhenSilent(client, statementTimeoutMs + silenceGraceMs);
    if (isPooler) sendUnnamed(client);
  });
  return pool;
}

export interface ReadPools {
  reads: pg.Pool;
  searches: pg.Pool;
}

/**
 * Opens separate pools for reads and searches of the API, so that these never delay submissions, runs or health checks.
 */
export function openReadPools(
  target: PoolTarget,
  logger: Logger,
  own: Pick<PoolOptions, 'connectTimeoutMs' | 'verify'> = {},
): ReadPools {
  const options = { application: 'tarsy-api-reads', logger, ...own };
  return {
    reads: openPool(target, options),
    // Few connections, because each search occupies a processor of the database.
    searches: openPool(target, { ...options, max: 2, statementTimeoutMs: 5_000 }),
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

/** Makes a connection send statements without their name, because the next transaction may get another connection. */
function sendUnnamed(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((statement: unknown, ...rest: unknown[]) => {
    if (typeof statement !== 'object' || statement === null || !('name' in statement))
      return query(statement, ...rest);
    if (!('submit' in statement)) return query({ ...statement, name: undefined }, ...rest);
    statement.name = undefined; // one of pg's query objects, which is sent once
    return query(statement, ...rest);
  }) as typeof client.query;
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
