import type { Queryable } from '../db/queryable.ts';

/** The rows deleted in one statement, which locks them while it runs. */
const BATCH = 1000;

/** The days that a delivery's key is kept; senders repeat for up to two. */
const DELIVERY_DAYS = 7;

/** Returns the delete statements with the age in days. Alerts and decisions of a group are deleted with it. */
function removals(groupDays: number): readonly (readonly [sql: string, days: number])[] {
  return [
    [
      `delete from intake_deliveries where id in (
       select id from intake_deliveries where received_at < now() - $1 * interval '1 day' limit ${BATCH} for update skip locked)`,
      DELIVERY_DAYS,
    ],
    [
      `delete from alert_submissions where (author, idempotency_key) in (
       select author, idempotency_key from alert_submissions where created_at < now() - $1 * interval '1 day' limit ${BATCH} for update skip locked)`,
      1,
    ],
    [
      `delete from alert_groups where id in (
       select id from alert_groups where resolved_at < now() - $1 * interval '1 day' limit ${BATCH / 10} for update skip locked)`,
      groupDays,
    ],
    [
      `delete from intake_decisions where id in (
       select id from intake_decisions where at < now() - $1 * interval '1 day' limit ${BATCH} for update skip locked)`,
      groupDays,
    ],
    [
      `delete from silences where id in (
       select id from silences where ends_at < now() - $1 * interval '1 day' limit ${BATCH} for update skip locked)`,
      groupDays,
    ],
  ];
}

/**
 * Deletes old rows in batches.
 * @param groupDays the days that closed groups, decisions and ended silences are kept: as long as sessions
 * @returns the number of deleted rows, without those deleted with a group
 */
export async function deleteOldIntakeRows(db: Queryable, groupDays: number): Promise<number> {
  let removed = 0;
  for (const [sql, days] of removals(groupDays)) {
    for (let count = BATCH; count > 0; removed += count) count = (await db.query(sql, [days])).rowCount ?? 0;
  }
  return removed;
}
