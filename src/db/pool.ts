import type { Socket } from 'node:net';
import pg from 'pg';
import type { Logger } from 'pino';

/** Milliseconds to wait for a connection before a query fails: a database that is down must not hang callers. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Milliseconds after which the server ends a transaction that does nothing. A process that freezes in one would
 * otherwise hold its locks, the one under which slots are given among them, against everybody else.
 */
const IDLE_TRANSACTION_MS = 5_000;

/** Milliseconds that one statement may take, unless a pool says otherwise: those of the engine take some. */
const STATEMENT_TIMEOUT_MS = 10_000;

/**
 * Milliseconds longer than a statement may take until a connection that says nothing counts as dead: the server's own
 * refusal is on its way by then.
 */
const SILENCE_GRACE_MS = 2_000;

/** Milliseconds of nothing to say until the other end of a connection is probed. */
const KEEPALIVE_MS = 10_000;

export interface PoolOptions {
  /** Connections; default 10. */
  max?: number;
  /** The name that the server shows for its connections. */
  application: string;
  /** Milliseconds that one statement may take; default 10 s. */
  statementTimeoutMs?: number;
  /** Milliseconds longer until a connection that says nothing counts as dead; default 2 s. */
  silenceGraceMs?: number;
  /** Settings of the server for its connections. */
  parameters?: Readonly<Record<string, string>>;
  logger: Logger;
}

/**
 * A pool for hand-written SQL. No query hangs: the server ends one that takes too long, and a connection whose server
 * says nothing for longer than that is given up. bigint arrives as a number: the only such columns are token counts,
 * which stay below 2^53.
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
  // An idle connection that breaks is replaced by the pool; unhandled, its error would end the process.
  pool.on('error', (error) => options.logger.warn(reasonOf(error), 'idle database connection lost'));
  pool.on('connect', (client) => {
    // One in use that breaks fails its query; the event besides is no news, but unhandled it would end the process.
    client.on('error', (error) => options.logger.debug(reasonOf(error), 'database connection broke'));
    giveUpWhenSilent(client, statementTimeoutMs + silenceGraceMs);
  });
  return pool;
}

/**
 * Ends a connection on which nothing comes for this long (ms) while an answer is waited for: packets to or from a dead
 * machine vanish without an error. Not with pg's `query_timeout`, which fails the query but keeps the connection.
 */
function giveUpWhenSilent(client: pg.PoolClient, silentMs: number): void {
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
  client.on('drain', () => stream.setTimeout(0)); // all is answered
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
