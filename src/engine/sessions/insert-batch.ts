import { setImmediate as turn } from 'node:timers/promises';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import { insertSessions } from '../store/sessions.ts';

/** Alerts that one statement stores at most, and their text in UTF-16 code units (the last one may exceed it). */
export const INSERT_BATCH_SESSIONS = 100;

export const INSERT_BATCH_UNITS = 1024 * 1024;

/** … and how long (ms) alerts wait at most for a statement that is under way: one may be slow for reasons of its own. */
export const INSERT_WAIT_MS = 100;

type NewAlert = Parameters<typeof insertSessions>[1][number];

/** Stores an alert's session. @throws what the database says of it */
export type InsertSession = (alert: NewAlert) => Promise<SessionSnapshot>;

interface Waiting {
  alert: NewAlert;
  stored: PromiseWithResolvers<SessionSnapshot>;
}

/**
 * Stores alerts in groups: those that come while a statement is under way share the next one, which costs the database and
 * us little more than a single one does. One that comes alone is stored at once.
 */
export function createSessionInserter(db: Queryable): InsertSession {
  const queue: Waiting[] = [];
  let working = false;

  async function work(): Promise<void> {
    while (queue.length > 0) {
      await turn(); // what was read from the network together is stored together
      await untilSlow(storeGroup(db, queue.splice(0, groupSize(queue))));
    }
    working = false;
  }

  return (alert) => {
    const stored = Promise.withResolvers<SessionSnapshot>();
    queue.push({ alert, stored });
    if (!working) {
      working = true;
      void work();
    }
    return stored.promise;
  };
}

function groupSize(queue: readonly Waiting[]): number {
  let units = 0;
  const full = queue.findIndex(({ alert }, index) => {
    const isFull = index >= INSERT_BATCH_SESSIONS || units >= INSERT_BATCH_UNITS;
    units += alert.session.alertData.length;
    return isFull;
  });
  return full < 0 ? queue.length : full;
}

/** Never rejects: whoever waits is told. */
async function storeGroup(db: Queryable, group: readonly Waiting[]): Promise<void> {
  try {
    const sessions = await insertSessions(
      db,
      group.map(({ alert }) => alert),
    );
    for (const [index, { stored }] of group.entries()) stored.resolve(sessions[index]!);
  } catch (error) {
    if (group.length > 1 && isOfValue(error))
      await Promise.all(group.map((waiting) => storeGroup(db, [waiting])));
    else for (const { stored } of group) stored.reject(error);
  }
}

/**
 * Whether the database refused a statement for a value in it (SQLSTATE classes of data, constraints, limits, and what triggers
 * raise): then nothing of it was stored, and the other values may be fine. After any other error that is not sure, or all
 * would fail alike.
 */
function isOfValue(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^(?:22|23|54|P0)\w{3}$/.test(code);
}

async function untilSlow(work: Promise<void>): Promise<void> {
  const slow = Promise.withResolvers<void>();
  const timer = setTimeout(slow.resolve, INSERT_WAIT_MS);
  await Promise.race([work, slow.promise]);
  clearTimeout(timer);
}
