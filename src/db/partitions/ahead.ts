import type { Queryable } from '../queryable.ts';
import { readPartitions } from './catalog.ts';
import { firstIdOf, monthStart, partitionName } from './months.ts';

/** Number of months after the current one that have partitions ahead of time. */
const MONTHS_AHEAD = 3;

/** Maximum number of rows that a new partition takes over from the default one, because both are locked meanwhile. */
const MOVED_ROWS = 1_000;

/** A partition to create. `strays`: number of its rows in the default partition, counted up to a limit. */
export interface MissingMonth {
  name: string;
  strays: number;
  /** True if the default partition has too many of its rows. The month stays there, which is correct but slower to remove. */
  isCrowded: boolean;
  /** Statements to send as one message, which is one transaction. */
  sql: string;
}

/** Returns the partitions that a partitioned table lacks from the current month on. */
export async function missingMonths(db: Queryable, table: string, now: Date): Promise<MissingMonth[]> {
  const existing = await readPartitions(db, table);
  const missing: MissingMonth[] = [];
  for (let offset = 0; offset <= MONTHS_AHEAD; offset += 1) {
    const month = monthStart(now, offset);
    const [from, to] = [firstIdOf(month), firstIdOf(monthStart(now, offset + 1))];
    if (existing.some((each) => (each.from === null || each.from < to) && from < each.to)) continue;
    const { rows } = await db.query<{ strays: number }>(
      `select count(*)::int as strays from (select 1 from "${table}_default" where session_id >= $1 and session_id < $2 limit $3) s`,
      [from, to, MOVED_ROWS + 1],
    );
    const { strays } = rows[0]!;
    const name = partitionName(table, month);
    missing.push({ name, strays, isCrowded: strays > MOVED_ROWS, sql: createSql(table, name, from, to) });
  }
  return missing;
}

/**
 * Returns SQL that creates a partition and moves its rows there from the default partition, because PostgreSQL refuses a
 * partition while the default one has rows of its range. The table is attached last, so that its rows never disappear.
 */
function createSql(table: string, name: string, from: string, to: string): string {
  const inRange = `session_id >= '${from}' and session_id < '${to}'`;
  return [
    `lock table "${table}_default" in access exclusive mode`,
    `create table "${name}" (like "${table}" including all excluding indexes)`,
    `with moved as (delete from "${table}_default" where ${inRange} returning *) insert into "${name}" select * from moved`,
    `alter table "${table}" attach partition "${name}" for values from ('${from}') to ('${to}')`,
  ].join(';\n');
}
