import type pg from 'pg';
import type { Logger } from 'pino';
import { openPool } from '../db/pool.ts';
import { isTransient } from '../db/transient.ts';

/** Connections of the queue: one to listen for each runner, and those that fetch and end jobs. */
const CONNECTIONS = 11;

/** A code after which the queue tries again, with growing pauses, for hours. */
const TRY_AGAIN = 'ETIMEDOUT';

/**
 * The pool of the job queue. It has its own idea of which errors are a matter of time, five codes, and ends the process
 * by an unhandled rejection when it cannot say that a job is over. So it is told of our idea in its words.
 */
export function openQueuePool(url: string, options: { application: string; logger: Logger }): pg.Pool {
  const pool = openPool(url, { ...options, max: CONNECTIONS });
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      const answer = query(...args);
      return answer instanceof Promise ? answer.catch(tellToTryAgain) : answer;
    }) as typeof client.query;
  });
  const connect = pool.connect.bind(pool);
  pool.connect = ((callback?: Parameters<typeof connect>[0]) => {
    if (callback) return connect(callback);
    // What the queue still wants to say of a job when we leave is of no use: its row decides.
    if (pool.ending) return new Promise(() => {});
    return connect().catch(tellToTryAgain);
  }) as typeof pool.connect;
  return pool;
}

function tellToTryAgain(error: unknown): never {
  if (!isTransient(error)) throw error;
  throw Object.assign(new Error((error as Error).message, { cause: error }), { code: TRY_AGAIN });
}
