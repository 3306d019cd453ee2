import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { uuidv7 } from '../../src/common/uuidv7.ts';
import { openPool } from '../../src/db/pool.ts';
import type { Send } from '../../src/notify/channels/channel.ts';
import { webhookChannel } from '../../src/notify/channels/webhook.ts';
import { startDeliveries } from '../../src/notify/deliver.ts';
import { createGuardedPost } from '../../src/notify/guarded-request.ts';
import { type Network, systemNetwork } from '../../src/runbooks/network.ts';
import { createWarnings, type Warnings } from '../../src/warnings.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

/** A row of `notification_deliveries`, as tests read it. */
export interface StoredDelivery {
  id: string;
  status: string;
  attempts: number;
  last_error: string | null;
  /** Seconds until the next attempt. */
  due_in: number;
}

const SECRETS = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`];

/** Sets up deliveries to webhooks, with a database. Waiting times are skipped by `dueNow`. */
export function deliverSuite() {
  const logger = pino({ level: 'silent' });
  const warned: string[] = [];
  const attempted: string[] = [];
  const running: { stop(): Promise<void> }[] = [];
  let database: TestDatabase;
  let pool: Pool;
  let warnings: Warnings;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url, { application: 'test', logger });
    warnings = createWarnings({ db: pool, mask: (text) => text, logger });
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.stop()));
    await pool.query('delete from notification_deliveries');
    await pool.query('delete from system_warnings');
    warned.length = 0;
    attempted.length = 0;
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const stored = async (id: string): Promise<StoredDelivery> => {
    const { rows } = await pool.query<StoredDelivery>(
      `select id, status, attempts, last_error, extract(epoch from due_at - now())::float8 as due_in
       from notification_deliveries where id = $1`,
      [id],
    );
    return rows[0]!;
  };
  /** Starts sending to channels by name. */
  const startChannels = (
    channels: ReadonlyMap<string, Send>,
    attemptMs = 30_000,
  ): { stop(): Promise<void> } => {
    const started = startDeliveries({
      db: pool,
      channels,
      dashboardUrl: 'https://tarsy.example',
      mask: (text) => text.replaceAll('hunter2', '[MASKED]'),
      warnings: {
        async raise(warning) {
          await warnings.raise(warning);
          warned.push(warning.message);
        },
        async clear(category, key) {
          await warnings.clear(category, key);
          warned.push(`clear ${key}`);
        },
      },
      metrics: { notificationAttempted: (_kind, outcome) => void attempted.push(outcome) },
      logger,
      attemptMs,
    });
    running.push(started);
    return started;
  };
  return {
    get pool() {
      return pool;
    },
    /** Warnings that were raised (with their message) and cleared, in order. */
    warned,
    /** Outcomes of attempts, in order. */
    attempted,
    /** Starts sending to webhooks by the names of their channels. */
    start(
      urls: Record<string, string>,
      {
        network = systemNetwork(),
        allowPrivate = true,
        attemptMs = 30_000,
        secrets = SECRETS,
      }: {
        network?: Network;
        allowPrivate?: boolean;
        attemptMs?: number;
        /** Secrets that sign, the newest first or last. */
        secrets?: readonly string[];
      } = {},
    ): { stop(): Promise<void> } {
      const post = createGuardedPost(network);
      const channels = Object.entries(urls).map(
        ([name, url]) =>
          [
            name,
            webhookChannel(post, {
              ...{ url: new URL(url), allowPrivate, secrets, source: 'https://tarsy.example' },
            }),
          ] as const,
      );
      return startChannels(new Map(channels), attemptMs);
    },
    startChannels,
    /**
     * Queues deliveries about an event without a session. They were queued a minute ago, so that a retry comes a minute later
     * and not during a pause of the machine.
     * @returns the ids
     */
    async queue(channel: string, count = 1, event = 'budget.reached'): Promise<string[]> {
      const ids = Array.from({ length: count }, uuidv7);
      await pool.query(
        `insert into notification_deliveries (id, channel, kind, event, event_key, notice, queued_at)
         select id, $2, 'webhook', $3, id::text, $4, now() - interval '1 minute' from unnest($1::uuid[]) as u (id)`,
        [ids, channel, event, { text: 'The budget is used.' }],
      );
      return ids;
    },
    stored,
    /** Waits until `attempts` of a delivery are recorded, the last with a result. */
    async attemptedTimes(id: string, attempts: number): Promise<StoredDelivery> {
      await expect
        .poll(
          async () => {
            const { attempts: made, last_error: error, status } = await stored(id);
            return (
              made === attempts && (error !== null || status !== 'PENDING') && attempted.length >= attempts
            );
          },
          { timeout: 20_000 },
        )
        .toBe(true);
      return stored(id);
    },
    async ended(id: string): Promise<StoredDelivery> {
      await expect.poll(async () => (await stored(id)).status, { timeout: 20_000 }).not.toBe('PENDING');
      return stored(id);
    },
    databaseUrl: () => database.url,
    /** Returns the number of deliveries by status. */
    async statuses(): Promise<Record<string, number>> {
      const { rows } = await pool.query<{ status: string; count: number }>(
        'select status, count(*)::int as count from notification_deliveries group by status',
      );
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    },
    /** Moves a waiting delivery forward in time until its next attempt is due. @returns the skipped time (s) */
    async skipToNext(id: string): Promise<number> {
      const { due_in: skipped } = await stored(id);
      await pool.query(
        `update notification_deliveries set queued_at = queued_at - make_interval(secs => $2),
           due_at = now() - interval '1 second' where id = $1`,
        [id, skipped],
      );
      return skipped;
    },
    /** Makes all waiting deliveries due. */
    dueNow: () =>
      pool.query(
        `update notification_deliveries set due_at = now() - interval '1 second' where status = 'PENDING'`,
      ),
  };
}
