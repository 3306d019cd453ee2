import { setImmediate as turn } from 'node:timers/promises';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import { insertSessions } from '../store/sessions.ts';

/** Maximum number of sessions that one statement stores. */
const INSERT_BATCH_SESSIONS = 100;
/** Maximum length of the alert texts in one statement (UTF-16 code units); the last alert may exceed it. */
const INSERT_BATCH_UNITS = 1024 * 1024;
/** Maximum time (ms) that alerts wait for a running statement. After that, the next statement runs beside it. */
const INSERT_WAIT_MS = 100;

type NewAlert = Parameters<typeof insertSessions>[1][number];

interface Waiting {
  alert: NewAlert;
  result: PromiseWithResolvers<SessionSnapshot>;
}

export type InsertSession = ReturnType<typeof createSessionInserter>;

/**
 * Creates a function that stores an alert's session, or throws the database's error. Alerts that arrive during a
 * statement share the next one, which costs little more than storing a single alert.
 */
export function createSessionInserter(db: Queryable): (alert: NewAlert) => Promise<SessionSnapshot> {
  const queue: Waiting[] = [];
  let isDraining = false;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await turn(); // alerts read from the network together share a batch
      await untilSlow(storeBatch(db, queue.splice(0, batchSize(queue))));
    }
    isDraining = false;
  }

  return (alert) => {
    const result = Promise.withResolvers<SessionSnapshot>();
    queue.push({ alert, result });
    if (!isDraining) {
      isDraining = true;
      void drain();
    }
    return result.promise;
  };
}

function batchSize(queue: readonly Waiting[]): number {
  let units = 0;
  let size = 0;
  for (; size < Math.min(queue.length, INSERT_BATCH_SESSIONS) && units < INSERT_BATCH_UNITS; size += 1)
    units += queue[size]!.alert.session.alertData.length;
  return size;
}

/** Stores a batch. Never rejects, because each waiting alert gets its own result or error. */
async function storeBatch(db: Queryable, batch: readonly Waiting[]): Promise<void> {
  try {
    const alerts = batch.map(({ alert }) => alert);
    const sessions = await insertSessions(db, alerts);
    for (const [index, { result }] of batch.entries()) result.resolve(sessions[index]!);
  } catch (error) {
    if (batch.length > 1 && isValueError(error))
      await Promise.all(batch.map((waiting) => storeBatch(db, [waiting])));
    else for (const { result } of batch) result.reject(error);
  }
}

/**
 * True if the database refused a statement because of a value in it (SQLSTATE classes of data, constraints, limits and
 * triggers). Nothing was stored then, and other values may be fine.
 */
function isValueError(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^(?:22|23|54|P0)\w{3}$/.test(code);
}

async function untilSlow(work: Promise<void>): Promise<void> {
  const slow = Promise.withResolvers<void>();
  const timer = setTimeout(slow.resolve, INSERT_WAIT_MS);
  await Promise.race([work, slow.promise]);
  clearTimeout(timer);
}
