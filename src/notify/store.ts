import type { DeliveryStatus } from '../db/delivery-status.ts';
import type { NotificationDeliveryRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import { decodeRow } from '../engine/live/event-log.ts';
import { WARNING_CATEGORIES } from '../warnings.ts';

/** Lease of a claimed delivery (s), longer than `ATTEMPT_MS`. Afterwards another attempt may claim it. */
const LEASE_S = 90;

/** Time limit of one attempt to send (ms), with name resolution and connecting. */
export const ATTEMPT_MS = 30_000;

/** Returns the channels with due deliveries, of the given ones. */
export async function channelsWithDue(db: Queryable, channels: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ channel: string }>(
    `select c.channel from unnest($1::text[]) as c (channel)
     where exists (select 1 from notification_deliveries d
       where d.channel = c.channel and d.status = 'PENDING' and d.due_at <= now())`,
    [channels],
  );
  return rows.map(({ channel }) => channel);
}

/**
 * Claims up to `limit` due deliveries of a channel, the longest due first. Each claim raises `attempts`, which fences. A
 * claimed row has no error, so that `resumeChannel` leaves it alone.
 */
export async function claimDue(
  db: Queryable,
  channel: string,
  limit: number,
): Promise<NotificationDeliveryRow[]> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(
    `update notification_deliveries d set attempts = d.attempts + 1, last_error = null,
       due_at = now() + interval '${LEASE_S} seconds'
     from (select id from notification_deliveries
       where channel = $1 and status = 'PENDING' and due_at <= now()
       order by due_at limit $2 for update skip locked) c
     where d.id = c.id returning to_jsonb(d) as row`,
    [channel, limit],
  );
  return rows.map(({ row }) => decodeRow<NotificationDeliveryRow>(row));
}

/** Ends a claimed delivery. Does nothing if a later attempt has claimed it. */
export async function endDelivery(
  db: Queryable,
  { id, attempts }: NotificationDeliveryRow,
  status: Exclude<DeliveryStatus, 'PENDING'>,
  error: string | null,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update notification_deliveries set status = $3, last_error = $4, ended_at = now()
     where id = $1 and attempts = $2 and status = 'PENDING'`,
    [id, attempts, status, error],
  );
  return rowCount === 1;
}

/** Schedules the next attempt of a claimed delivery. Does nothing if a later attempt has claimed it. */
export async function postpone(
  db: Queryable,
  { id, attempts }: NotificationDeliveryRow,
  delayMs: number,
  error: string,
): Promise<void> {
  await db.query(
    `update notification_deliveries set due_at = now() + $3 * interval '1 millisecond', last_error = $4
     where id = $1 and attempts = $2 and status = 'PENDING'`,
    [id, attempts, delayMs, error],
  );
}

/** Postpones all waiting deliveries of a channel whose receiver limits the rate. Leaves later due times unchanged. */
export async function postponeChannel(db: Queryable, channel: string, delayMs: number): Promise<void> {
  await db.query(
    `update notification_deliveries set due_at = now() + $2 * interval '1 millisecond' * (1 + random() / 10)
     where channel = $1 and status = 'PENDING' and due_at < now() + $2 * interval '1 millisecond'`,
    [channel, delayMs],
  );
}

/**
 * Makes the deliveries of a channel due that wait because their receiver did not answer. A delivery that the receiver
 * answered keeps its delay.
 */
export async function resumeChannel(db: Queryable, channel: string): Promise<void> {
  await db.query(
    `update notification_deliveries set due_at = now()
     where channel = $1 and status = 'PENDING' and due_at > now() and last_error ~ '^(UNREACHABLE|TIMEOUT):'`,
    [channel],
  );
}

/** True from the moment when the receiver answered 410 until a test or repeated delivery succeeds. */
export async function isReceiverGone(db: Queryable, channel: string): Promise<boolean> {
  const { rowCount } = await db.query('select from system_warnings where category = $1 and key = $2', [
    WARNING_CATEGORIES.notificationsDisabled,
    channel,
  ]);
  return rowCount === 1;
}

/** Maximum number of rows that one statement deletes, because the statement locks them while it runs. */
const BATCH = 1000;

/**
 * Ends deliveries that no process sent within a day, and deletes old ones.
 * @param days days for which deliveries are kept; those of a session are deleted with the session at the latest
 */
export async function cleanUp(db: Queryable, days: number): Promise<void> {
  await db.query(
    `update notification_deliveries set status = 'FAILED', ended_at = now(),
       last_error = coalesce(last_error, 'No process has the channel in its configuration.')
     where status = 'PENDING' and queued_at < now() - interval '25 hours' and due_at < now()`,
  );
  for (let count = BATCH; count === BATCH; ) {
    const { rowCount } = await db.query(
      `delete from notification_deliveries where id in (
         select id from notification_deliveries where created_at < now() - $1 * interval '1 day' and status <> 'PENDING'
         order by created_at, id limit ${BATCH} for update skip locked)`,
      [days],
    );
    count = rowCount ?? 0;
  }
}
