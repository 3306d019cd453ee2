import type pg from 'pg';
import type { Logger } from 'pino';
import { openPool } from '../db/pool.ts';
import { isTransient } from '../db/transient.ts';

/** Maximum connections: one listener per runner, plus those that fetch and complete jobs. */
const CONNECTIONS = 11;

/** An error code that makes graphile-worker retry for hours, with growing pauses. */
const RETRYABLE_CODE = 'ETIMEDOUT';

/**
 * Opens the pool of the job queue. graphile-worker retries only five error codes; for others it ends the process by an
 * unhandled rejection if it cannot complete a job. So transient errors are rethrown with one of its codes.
 */
export function openQueuePool(url: string, options: { application: string; logger: Logger }): pg.Pool {
  const pool = openPool(url, { ...options, max: CONNECTIONS });
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      const answer = query(...args);
      return answer instanceof Promise ? answer.catch(rethrowAsRetryable) : answer;
    }) as typeof client.query;
  });
  const connect = pool.connect.bind(pool);
  pool.connect = ((callback?: Parameters<typeof connect>[0]) => {
    if (callback) return connect(callback);
    // During shutdown the queue's last messages about jobs are useless, because the rows decide.
    if (pool.ending) return new Promise(() => {});
    return connect().catch(rethrowAsRetryable);
  }) as typeof pool.connect;
  return pool;
}

function rethrowAsRetryable(error: unknown): never {
  if (!isTransient(error)) throw error;
  throw Object.assign(new Error((error as Error).message, { cause: error }), { code: RETRYABLE_CODE });
}
