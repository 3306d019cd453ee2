import type { Queryable } from '../db/queryable.ts';

/** Maximum number of rows that one statement deletes, because the statement locks them while it runs. */
const BATCH = 1000;

/**
 * Deletes old rows in batches. A group's alerts and decisions are deleted with the group.
 * @param groupDays days for which closed groups, decisions and ended silences are kept, as long as sessions are
 * @returns the number of deleted rows, without those deleted with a group
 */
export async function deleteOldIntakeRows(db: Queryable, groupDays: number): Promise<number> {
  const tables = [
    { table: 'intake_deliveries', at: 'received_at', days: 7 }, // senders repeat deliveries for up to two days
    { table: 'alert_submissions', key: 'author, idempotency_key', at: 'created_at', days: 1 },
    { table: 'alert_groups', at: 'resolved_at', days: groupDays, batch: BATCH / 10 },
    { table: 'intake_decisions', at: 'at', days: groupDays },
    { table: 'silences', at: 'ends_at', days: groupDays },
  ];
  let removed = 0;
  for (const { table, key = 'id', at, days, batch = BATCH } of tables) {
    const sql = `delete from ${table} where (${key}) in (
      select ${key} from ${table} where ${at} < now() - $1 * interval '1 day' limit ${batch} for update skip locked)`;
    for (let count = batch; count > 0; removed += count) count = (await db.query(sql, [days])).rowCount ?? 0;
  }
  return removed;
}
