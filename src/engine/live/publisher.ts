import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openPool } from '../../db/pool.ts';
import type { Queryable } from '../../db/queryable.ts';
import { CHANNELS } from './event-log.ts';

/** What is announced gathers so long that announcing takes at most this share of the time. */
export const ANNOUNCE_BUSY_SHARE = 0.2;

/** … but no longer than this (ms): it may have taken long because the connection was frozen, not because the database is busy. */
export const ANNOUNCE_LONGEST_PAUSE_MS = 1_000;

/** Announcements that wait while the database is slow; beyond that those that wait are dropped. */
export const ANNOUNCE_MAX_WAITING = 10_000;

/** Milliseconds that one batch of announcements may take. */
export const ANNOUNCE_TIMEOUT_MS = 5_000;

/** Bytes of one NOTIFY payload; PostgreSQL refuses 8000 and more. */
export const NOTIFY_MAX_BYTES = 7900;

/** Something that whoever listens on a channel shall hear. */
export interface Announcement {
  channel: (typeof CHANNELS)[keyof typeof CHANNELS];
  payload: string;
}

/**
 * Tells other processes what this one has committed. Announcements are hints: what cannot be told is dropped, and
 * found by those who look into the log.
 */
export interface Announcer {
  /** In the order of the calls. Resolves when it was told, or dropped. */
  announce(announcements: readonly Announcement[]): Promise<void>;
  /** Tells what waits, then closes its connection. */
  close(): Promise<void>;
}

/**
 * Announces on a connection of its own, apart from the transactions: a commit that notifies holds one lock of the whole
 * cluster until its WAL is on disk. At once when idle, else with all that has gathered meanwhile.
 */
export function openAnnouncer(url: string, logger: Logger): Announcer {
  const pool = openPool(url, {
    max: 1,
    application: 'tarsy-announce',
    statementTimeoutMs: ANNOUNCE_TIMEOUT_MS,
    // Nothing that is announced needs to be on disk.
    parameters: { synchronous_commit: 'off' },
    logger,
  });
  const announcer = createAnnouncer(pool, logger);
  return {
    announce: announcer.announce,
    async close() {
      await announcer.close();
      await pool.end();
    },
  };
}

export function createAnnouncer(db: Queryable, logger: Logger): Announcer {
  let gathering: Batch | null = null;
  let working: Promise<void> | null = null;

  async function work(): Promise<void> {
    while (gathering !== null) {
      const { announcements, told }: Batch = gathering;
      gathering = null;
      const begun = performance.now();
      await tell(db, announcements).catch((error: unknown) =>
        logger.warn({ err: error, dropped: announcements.length }, 'changes could not be announced'),
      );
      told.resolve();
      // Else many texts that grow at once would keep the database busy with nothing else.
      const pauseMs = (performance.now() - begun) * (1 / ANNOUNCE_BUSY_SHARE - 1);
      if (gathering !== null) await delay(Math.min(pauseMs, ANNOUNCE_LONGEST_PAUSE_MS));
    }
    working = null;
  }

  return {
    announce(announcements) {
      gathering ??= { announcements: [], told: Promise.withResolvers() };
      const { announcements: all, told } = gathering;
      if (all.length + announcements.length > ANNOUNCE_MAX_WAITING) all.length = 0;
      all.push(...announcements);
      working ??= work();
      return told.promise;
    },
    async close() {
      await working;
    },
  };
}

/** What is told together. */
interface Batch {
  announcements: Announcement[];
  told: PromiseWithResolvers<void>;
}

async function tell(db: Queryable, batch: readonly Announcement[]): Promise<void> {
  await db.query(
    { name: 'announce', text: 'select pg_notify(c, p) from unnest($1::text[], $2::text[]) as told (c, p)' },
    [batch.map(({ channel }) => channel), batch.map(({ payload }) => payload)],
  );
}

/** A database whose statements have what they logged announced once they are committed, which they are when they return. */
export function announcing(db: Queryable, announcer: Pick<Announcer, 'announce'>): Queryable {
  return {
    async query<T extends object>(statement: string | { name: string; text: string }, values?: unknown[]) {
      const result = await db.query<T>(statement, values);
      const logged = loggedBy(result.rows);
      if (logged.length > 0) void announcer.announce(logged);
      return result;
    },
  };
}

/** What a statement logged: it says so in its column `announced`. Several statements in one text have no rows of their own. */
function loggedBy(rows: readonly object[] = []): Announcement[] {
  return (rows as readonly { announced?: string | null }[]).flatMap(({ announced }) =>
    announced ? [{ channel: CHANNELS.event, payload: announced }] : [],
  );
}
