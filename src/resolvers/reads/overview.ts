import type { SessionStatus } from '../../db/enums.ts';
import type { SessionSnapshot } from '../../engine/engine.ts';
import type { SessionFilterOptions } from '../../schema/context.ts';
import type { ReadDb } from './tables.ts';

/**
 * Sessions in each of the two lists, and places of the queue that are told: a bound for a queue that nobody works off.
 * `sessions` pages through more.
 */
export const MAX_LISTED = 500;

/** What runs and what waits. */
export async function readActiveSessions({ pool, tables }: ReadDb) {
  const select = `select ${tables.session.columns} from alert_sessions t where t.deleted_at is null`;
  const [active, queued] = await Promise.all([
    pool.query<SessionSnapshot>(
      `${select} and t.status in ('IN_PROGRESS', 'CANCELLING') order by t.created_at desc, t.id desc limit ${MAX_LISTED}`,
    ),
    pool.query<SessionSnapshot>(
      `${select} and t.status = 'PENDING' order by t.created_at, t.id limit ${MAX_LISTED}`,
    ),
  ]);
  return { active: active.rows, queued: queued.rows };
}

/** The distinct values of the columns that a filter offers. */
export async function readFilterOptions(db: ReadDb): Promise<SessionFilterOptions> {
  const [alertTypes, chainIds, authors, statuses] = await Promise.all([
    distinct(db, 'alert_type'),
    distinct(db, 'chain_id'),
    distinct(db, 'author'),
    distinct(db, 'status'),
  ]);
  return { alertTypes, chainIds, authors, statuses: statuses as SessionStatus[] };
}

// Jumps from value to value along the column's index: the cost is that of the few values, not of all rows.
async function distinct(
  { pool }: ReadDb,
  column: 'alert_type' | 'chain_id' | 'author' | 'status',
): Promise<string[]> {
  const result = await pool.query<{ value: string }>(`
    with recursive steps as (
      (select ${column} as value from alert_sessions where deleted_at is null order by ${column} limit 1)
      union all
      select (
        select ${column} from alert_sessions
        where ${column} > steps.value and deleted_at is null order by ${column} limit 1
      ) from steps where steps.value is not null
    )
    select value from steps where value is not null`);
  return result.rows.map((row) => row.value);
}
