import type { Queryable } from '../db/queryable.ts';

/** Rows removed in one statement: it locks them for as long as it takes. */
const BATCH = 1000;

/** Days that a delivery's mark is known: senders repeat for up to two. */
const DELIVERY_DAYS = 7;

/** What is removed, each with the days after which. Alerts and decisions of a group go with it. */
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
 * Removes what is old, a batch at a time.
 * @param groupDays days that closed groups, decisions and ended silences are kept: as long as sessions
 * @returns rows removed, without those that went with a group
 */
export async function removeOld(db: Queryable, groupDays: number): Promise<number> {
  let removed = 0;
  for (const [sql, days] of removals(groupDays)) {
    for (let count = BATCH; count > 0; removed += count) count = (await db.query(sql, [days])).rowCount ?? 0;
  }
  return removed;
}
