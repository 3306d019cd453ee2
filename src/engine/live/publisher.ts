import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openPool, type PoolTarget } from '../../db/pool.ts';
import type { Queryable } from '../../db/queryable.ts';
import { CHANNELS } from './event-log.ts';
import type { NatsCarrier } from './nats-carrier.ts';
import type { Notice } from './notices.ts';

/**
 * Maximum share of time that is spent on publishing. To keep it, a pause follows a batch if another batch
 * waits.
 */
const PUBLISH_BUSY_SHARE = 0.2;

/** Maximum pause after a batch (ms), because the batch may be slow only due to a frozen connection. */
const PUBLISH_MAX_PAUSE_MS = 1_000;

/** Maximum number of waiting notices. A call that exceeds it drops the notices that wait already. */
const PUBLISH_MAX_WAITING = 10_000;

export const PUBLISH_TIMEOUT_MS = 5_000;

/** Maximum size of a NOTIFY payload (bytes). PostgreSQL refuses 8000 and more. */
export const NOTIFY_MAX_BYTES = 7900;

/**
 * Notifies all processes of committed changes. Notices are hints: if they cannot be sent, they are dropped, and
 * subscribers find the changes when they poll the log.
 */
export interface Publisher {
  /** Publishes notices in the order of the calls. Resolves when they are sent or dropped. */
  publish(notices: readonly Notice[]): Promise<void>;
  /** Sends the waiting notices, then closes the connection. */
  close(): Promise<void>;
}

/** How notices are sent. NOTIFY carries those that `carrier` does not. */
interface PublishOptions {
  carrier?: NatsCarrier | null;
  /** Counts the notices that were sent. */
  onSent?: (bus: 'nats' | 'postgres', notices: number) => void;
}

/**
 * Opens a publisher with its own connection. NOTIFY is not part of the writing transactions, because a commit that
 * notifies locks the whole cluster until its WAL is on disk. An idle publisher sends at once; a busy one sends all
 * waiting notices in the next batch.
 */
export function openPublisher(
  target: PoolTarget | string,
  logger: Logger,
  options: PublishOptions = {},
): Publisher {
  const pool = openPool(target, {
    max: 1,
    application: 'tarsy-announce',
    statementTimeoutMs: PUBLISH_TIMEOUT_MS,
    parameters: { synchronous_commit: 'off' }, // notices need not be on disk
    logger,
  });
  const { publish, close } = createPublisher(pool, logger, options);
  return { publish, close: () => close().then(() => pool.end()) };
}

export function createPublisher(db: Queryable, logger: Logger, options: PublishOptions = {}): Publisher {
  const { carrier = null, onSent = () => {} } = options;
  let nextBatch: Batch | null = null;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    while (nextBatch !== null) {
      const { notices, sent }: Batch = nextBatch;
      nextBatch = null;
      const rest = carrier === null ? notices : await carry(carrier, notices);
      const begun = performance.now();
      if (rest.length > 0) await notifyAll(rest);
      sent.resolve();
      // Without a pause, many growing texts would keep the database busy.
      const pauseMs = (performance.now() - begun) * (1 / PUBLISH_BUSY_SHARE - 1);
      if (nextBatch !== null && rest.length > 0) await delay(Math.min(pauseMs, PUBLISH_MAX_PAUSE_MS));
    }
    running = null;
  }

  async function carry(over: NatsCarrier, notices: readonly Notice[]): Promise<readonly Notice[]> {
    const { carried, rest } = await over.send(notices);
    if (carried > 0) onSent('nats', carried);
    return rest;
  }

  async function notifyAll(notices: readonly Notice[]): Promise<void> {
    try {
      await notify(db, notices);
      onSent('postgres', notices.length);
    } catch (error) {
      logger.warn({ err: error, dropped: notices.length }, 'notices dropped');
    }
  }

  return {
    publish(notices) {
      nextBatch ??= { notices: [], sent: Promise.withResolvers() };
      const { notices: all, sent } = nextBatch;
      if (all.length + notices.length > PUBLISH_MAX_WAITING) all.length = 0;
      all.push(...notices);
      running ??= run();
      return sent.promise;
    },
    async close() {
      await running;
    },
  };
}

interface Batch {
  notices: Notice[];
  sent: PromiseWithResolvers<void>;
}

async function notify(db: Queryable, batch: readonly Notice[]): Promise<void> {
  await db.query(
    {
      name: 'announce',
      // Gives neither columns nor rows: pg_notify returns no null. Reading them took longer than sending.
      text: 'select from unnest($1::text[], $2::text[]) as told (c, p) where pg_notify(c, p) is null',
    },
    [batch.map(({ channel }) => channel), batch.map(({ payload }) => payload)],
  );
}

/** Wraps a database outside of transactions. The events that a statement logged are published after it returns. */
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

/** Returns the notices in the column `announced`. A query of several statements has no `rows`. */
function loggedBy(rows: readonly object[] = []): Notice[] {
  return (rows as readonly { announced?: string | null }[]).flatMap(({ announced }) =>
    announced ? [{ channel: CHANNELS.event, payload: announced }] : [],
  );
}
