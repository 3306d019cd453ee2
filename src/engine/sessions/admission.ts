import { TooManyAlertsError } from '../../common/errors.ts';
import type { QueueConfig } from '../../config/types.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';

/** Interval (ms) between counts of waiting sessions: how late this process notices sessions that others accept. */
const PENDING_COUNT_INTERVAL_MS = 1_000;

const MINUTE_MS = 60_000;

/** Refuses alerts that exceed the limits of the queue. */
export interface Admission {
  /** Counts one alert for a sender. @throws TooManyAlertsError above `queue.alerts_per_minute` */
  countAlert(sender: string): void;
  /** Counts one accepted session. @throws TooManyAlertsError if `queue.max_pending` sessions already wait */
  requireRoom(): Promise<void>;
}

/**
 * Creates the limits. They are cheap and thus not exact. Each process counts a sender's alerts on its own, per clock minute.
 * Waiting sessions are counted once per PENDING_COUNT_INTERVAL_MS; sessions that this process accepts since are added.
 */
export function createAdmission(deps: {
  db: Queryable;
  queue: Pick<QueueConfig, 'maxPending' | 'alertsPerMinute'>;
  /** Returns the current time (ms since the epoch); default: the clock. */
  now?: () => number;
}): Admission {
  const { db, queue, now = Date.now } = deps;
  const sent = new Map<string, number>();
  let minute = 0;
  let pending = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | null = null;

  async function count(): Promise<void> {
    const { rows } = await db.query<{ waiting: number }>(prepared(COUNT_PENDING), [queue.maxPending]);
    pending = rows[0]!.waiting;
    countedAt = now();
  }

  return {
    countAlert(sender) {
      const current = Math.floor(now() / MINUTE_MS);
      if (current !== minute) sent.clear();
      minute = current;
      const alerts = (sent.get(sender) ?? 0) + 1;
      if (alerts > queue.alertsPerMinute) {
        const seconds = Math.ceil(((minute + 1) * MINUTE_MS - now()) / 1000);
        throw new TooManyAlertsError('RATE_LIMITED', seconds, tooFast(queue.alertsPerMinute));
      }
      sent.set(sender, alerts);
    },
    async requireRoom() {
      if (now() - countedAt >= PENDING_COUNT_INTERVAL_MS) {
        counting ??= count().finally(() => {
          counting = null;
        });
        await counting;
      }
      if (pending >= queue.maxPending)
        throw new TooManyAlertsError('QUEUE_FULL', QUEUE_FULL_RETRY_S, queueFull(queue.maxPending));
      pending += 1;
    },
  };
}

/** Reads at most the limit, from an index. */
const COUNT_PENDING = `select count(*) as waiting from (
  select 1 from alert_sessions where status = 'PENDING' limit $1) waiting`;

/** Delay (s) suggested to senders, because an investigation takes minutes. */
const QUEUE_FULL_RETRY_S = 60;

function tooFast(limit: number): string {
  return `More than ${limit} alerts of this sender came within a minute (queue.alerts_per_minute). Send it again later, or several as one alert.`;
}

function queueFull(limit: number): string {
  return `${limit} alerts wait already (queue.max_pending), so this one was not taken. Send it again later; more workers, or cancelling what waits, makes room.`;
}
