import { TooManyAlertsError } from '../../common/errors.ts';
import type { QueueConfig } from '../../config/types.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';

/** Interval (ms) of counting waiting sessions: the delay until this process counts those of other processes. */
const PENDING_COUNT_INTERVAL_MS = 1_000;

/** Delay (s) suggested to senders while the queue is full, because an investigation takes minutes. */
const QUEUE_FULL_RETRY_S = 60;

const MINUTE_MS = 60_000;

export type Admission = ReturnType<typeof createAdmission>;

/**
 * Creates the limits of the queue. They are cheap to check and therefore inexact: each process counts on its
 * own. Waiting sessions are counted once per PENDING_COUNT_INTERVAL_MS; sessions that this process accepts
 * meanwhile are added.
 */
export function createAdmission(deps: {
  db: Queryable;
  queue: Pick<QueueConfig, 'maxPending' | 'alertsPerMinute'>;
  /** Returns the current time (ms since the epoch); default: the clock. */
  now?: () => number;
}) {
  const { db, queue, now = Date.now } = deps;
  const sent = new Map<string, number>();
  let minute = 0;
  let pending = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | null = null;

  async function count(): Promise<void> {
    const { rows } = await db.query<{ waiting: number }>(
      prepared(`select count(*) as waiting from (
        select 1 from alert_sessions where status = 'PENDING' limit $1) waiting`),
      [queue.maxPending],
    );
    pending = rows[0]!.waiting;
    countedAt = now();
  }

  return {
    /** Counts one alert for a sender. @throws TooManyAlertsError above `queue.alerts_per_minute` */
    countAlert(sender: string): void {
      const current = Math.floor(now() / MINUTE_MS);
      if (current !== minute) sent.clear();
      minute = current;
      const alerts = (sent.get(sender) ?? 0) + 1;
      if (alerts > queue.alertsPerMinute) {
        const seconds = Math.ceil(((minute + 1) * MINUTE_MS - now()) / 1000);
        const message = `More than ${queue.alertsPerMinute} alerts of this sender came within a minute (queue.alerts_per_minute). Send this one again later, or combine several into one alert.`;
        throw new TooManyAlertsError('RATE_LIMITED', seconds, message);
      }
      sent.set(sender, alerts);
    },
    /** Counts accepted sessions. @throws TooManyAlertsError if more than `queue.max_pending` would wait with them */
    async requireRoom(sessions = 1): Promise<void> {
      if (now() - countedAt >= PENDING_COUNT_INTERVAL_MS) {
        counting ??= count().finally(() => {
          counting = null;
        });
        await counting;
      }
      if (pending + sessions > queue.maxPending) {
        const message = `The queue has no room: ${pending} alerts wait, and queue.max_pending is ${queue.maxPending}. Send this again later, add workers, or cancel waiting sessions.`;
        throw new TooManyAlertsError('QUEUE_FULL', QUEUE_FULL_RETRY_S, message);
      }
      pending += sessions;
    },
  };
}
