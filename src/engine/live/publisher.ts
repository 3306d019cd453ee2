import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openPool } from '../../db/pool.ts';
import type { Queryable } from '../../db/queryable.ts';
import { CHANNELS } from './event-log.ts';

/** Announcements are batched so that publishing takes at most this share of the time. */
const PUBLISH_BUSY_SHARE = 0.2;

/** Longest pause between two batches (ms). A batch may have been slow because the connection froze, not because the database is busy. */
const PUBLISH_MAX_PAUSE_MS = 1_000;

/** Largest number of waiting announcements. Beyond it all waiting ones are dropped. */
const PUBLISH_MAX_WAITING = 10_000;

/** Time limit of one batch (ms). */
export const PUBLISH_TIMEOUT_MS = 5_000;

/** Bytes of one NOTIFY payload; PostgreSQL refuses 8000 and more. */
export const NOTIFY_MAX_BYTES = 7900;

/** A payload for the listeners of a channel. */
export interface Notice {
  channel: (typeof CHANNELS)[keyof typeof CHANNELS];
  payload: string;
}

/**
 * Notifies other processes of this one's commits. Announcements are hints: one that cannot be sent is dropped, and
 * listeners find the event by polling the log.
 */
export interface Publisher {
  /** Publishes in call order. Resolves once the announcement is sent or dropped. */
  publish(notices: readonly Notice[]): Promise<void>;
  /** Publishes waiting announcements, then closes the connection. */
  close(): Promise<void>;
}

/**
 * Creates a publisher on its own connection, outside transactions, because a commit that notifies holds a cluster-wide
 * lock until its WAL is on disk. An idle publisher sends at once, a busy one in batches.
 */
export function openPublisher(url: string, logger: Logger): Publisher {
  const pool = openPool(url, {
    max: 1,
    application: 'tarsy-announce',
    statementTimeoutMs: PUBLISH_TIMEOUT_MS,
    // Announcements need not survive a crash.
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
      // Without the pause, many streaming texts would keep the database busy.
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

/** One batch. */
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

/** Returns a database that publishes the events which a statement logged, after its implicit commit. */
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

/** Returns the logged events, from the column `announced`. A text with several statements has no rows of its own. */
function loggedBy(rows: readonly object[] = []): Notice[] {
  return (rows as readonly { announced?: string | null }[]).flatMap(({ announced }) =>
    announced ? [{ channel: CHANNELS.event, payload: announced }] : [],
  );
}
