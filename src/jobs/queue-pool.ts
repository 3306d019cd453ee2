import { makeWorkerUtils, Logger as QueueLogger, runMigrations } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { openPool } from '../db/pool.ts';
import { isTransient } from '../db/transient.ts';

/** Maximum connections: one listener per runner, plus connections that fetch and complete jobs. */
const CONNECTIONS = 11;

/** Warning that there are fewer connections than jobs. A job needs one only when it begins and when it ends. */
const SMALL_POOL = /maxPoolSize/;

/**
 * Opens the pool of the job queue. graphile-worker retries only five error codes. Any other error while it completes a
 * job ends the process by an unhandled rejection, so transient errors are rethrown with one of these codes.
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
    // Never connects during shutdown: the queue's last job updates are not needed, because the rows of the work decide.
    if (pool.ending) return new Promise(() => {});
    return connect().catch(rethrowAsRetryable);
  }) as typeof pool.connect;
  return pool;
}

function rethrowAsRetryable(error: unknown): never {
  if (!isTransient(error)) throw error;
  // graphile-worker retries this code for hours, with growing pauses.
  throw Object.assign(new Error((error as Error).message, { cause: error }), { code: 'ETIMEDOUT' });
}

export async function migrateQueue(url: string, logger: Logger): Promise<void> {
  await runMigrations({ connectionString: url, logger: queueLogger(logger) });
}

/** Deletes jobs that failed for the last time. The log has their errors, and no work depends on them. */
export async function removeFailedJobs(queue: pg.Pool, logger: Logger): Promise<void> {
  const utils = await makeWorkerUtils({ pgPool: queue, logger: queueLogger(logger) });
  try {
    await utils.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS'] });
  } finally {
    await utils.release();
  }
}

/** Returns a graphile-worker logger that writes to `logger`. Info messages, one per job, become debug. */
export function queueLogger(logger: Logger): QueueLogger {
  return new QueueLogger(() => (level, message) => {
    if (level === 'error') logger.error(message);
    else if (level === 'warning' && !SMALL_POOL.test(message)) logger.warn(message);
    else logger.debug(message);
  });
}
