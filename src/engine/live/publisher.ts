import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openPool } from '../../db/pool.ts';
import type { Queryable } from '../../db/queryable.ts';
import { CHANNELS } from './event-log.ts';

/** What is announced gathers so long that announcing takes at most this share of the time. */
export const PUBLISH_BUSY_SHARE = 0.2;

/** … but no longer than this (ms): it may have taken long because the connection was frozen, not because the database is busy. */
export const PUBLISH_MAX_PAUSE_MS = 1_000;

/** Announcements that wait while the database is slow; beyond that those that wait are dropped. */
export const PUBLISH_MAX_WAITING = 10_000;

/** Milliseconds that one batch of announcements may take. */
export const PUBLISH_TIMEOUT_MS = 5_000;

/** Bytes of one NOTIFY payload; PostgreSQL refuses 8000 and more. */
export const NOTIFY_MAX_BYTES = 7900;

/** Something that whoever listens on a channel shall hear. */
export interface Notice {
  channel: (typeof CHANNELS)[keyof typeof CHANNELS];
  payload: string;
}

/**
 * Tells other processes what this one has committed. Announcements are hints: what cannot be told is dropped, and
 * found by those who look into the log.
 */
export interface Publisher {
  /** In the order of the calls. Resolves when it was told, or dropped. */
  publish(notices: readonly Notice[]): Promise<void>;
  /** Tells what waits, then closes its connection. */
  close(): Promise<void>;
}

/**
 * Announces on a connection of its own, apart from the transactions: a commit that notifies holds one lock of the whole
 * cluster until its WAL is on disk. At once when idle, else with all that has gathered meanwhile.
 */
export function openPublisher(url: string, logger: Logger): Publisher {
  const pool = openPool(url, {
    max: 1,
    application: 'tarsy-announce',
    statementTimeoutMs: PUBLISH_TIMEOUT_MS,
    // Nothing that is announced needs to be on disk.
    parameters: { synchronous_commit: 'off' },
    logger,
  });
  const publisher = createPublisher(pool, logger);
  return {
    publish: publisher.publish,
    async close() {
      await publisher.close();
      await pool.end();
    },
  };
}

export function createPublisher(db: Queryable, logger: Logger): Publisher {
  let gathering: Batch | null = null;
  let working: Promise<void> | null = null;

  async function work(): Promise<void> {
    while (gathering !== null) {
      const { notices, told }: Batch = gathering;
      gathering = null;
      const begun = performance.now();
      await tell(db, notices).catch((error: unknown) =>
        logger.warn({ err: error, dropped: notices.length }, 'changes could not be announced'),
      );
      told.resolve();
      // Else many texts that grow at once would keep the database busy with nothing else.
      const pauseMs = (performance.now() - begun) * (1 / PUBLISH_BUSY_SHARE - 1);
      if (gathering !== null) await delay(Math.min(pauseMs, PUBLISH_MAX_PAUSE_MS));
    }
    working = null;
  }

  return {
    publish(notices) {
      gathering ??= { notices: [], told: Promise.withResolvers() };
      const { notices: all, told } = gathering;
      if (all.length + notices.length > PUBLISH_MAX_WAITING) all.length = 0;
      all.push(...notices);
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
  notices: Notice[];
  told: PromiseWithResolvers<void>;
}

async function tell(db: Queryable, batch: readonly Notice[]): Promise<void> {
  await db.query(
    { name: 'announce', text: 'select pg_notify(c, p) from unnest($1::text[], $2::text[]) as told (c, p)' },
    [batch.map(({ channel }) => channel), batch.map(({ payload }) => payload)],
  );
}

/** A database whose statements have what they logged announced once they are committed, which they are when they return. */
export function withPublishing(db: Queryable, publisher: Pick<Publisher, 'publish'>): Queryable {
  return {
    async query<T extends object>(statement: string | { name: string; text: string }, values?: unknown[]) {
      const result = await db.query<T>(statement, values);
      const logged = loggedBy(result.rows);
      if (logged.length > 0) void publisher.publish(logged);
      return result;
    },
  };
}

/** What a statement logged: it says so in its column `announced`. Several statements in one text have no rows of their own. */
function loggedBy(rows: readonly object[] = []): Notice[] {
  return (rows as readonly { announced?: string | null }[]).flatMap(({ announced }) =>
    announced ? [{ channel: CHANNELS.event, payload: announced }] : [],
  );
}
