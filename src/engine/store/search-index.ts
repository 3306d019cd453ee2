import { setTimeout as delay } from 'node:timers/promises';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';

/** Intervals (ms) between indexing rounds while sessions are due, and otherwise. A search indexes what is due. */
export const INDEX_POLL_MS = 250;
export const INDEX_IDLE_MS = 2_000;
/** Time limit (ms) of one round. Short, so that most indexing waits until a flood of alerts is over. */
const ROUND_MS = 25;
/** Time limit (ms) for indexing the latest sessions before a search. */
const SEARCH_BUDGET_MS = 2000;
/** Pause (ms) between two looks at sessions that another process is indexing. */
const LOOK_MS = 5;

/** Builds the search documents of sessions that are due, oldest first. @returns false if none was due */
export async function indexDueSessions(db: Queryable, forMs = ROUND_MS): Promise<boolean> {
  const { rows } = await db.query<{ made: number }>(prepared('select tarsy_index_due($1) as made'), [forMs]);
  return rows[0]!.made > 0;
}

/**
 * Builds the search documents of all sessions that are due now, so that a search finds what was stored before it. Also waits
 * for those that another process is building. Gives up after SEARCH_BUDGET_MS.
 */
export async function indexBeforeSearch(db: Queryable): Promise<void> {
  const until = performance.now() + SEARCH_BUDGET_MS;
  const { rows } = await db.query<{ last: string | null }>(
    prepared('select max(id) as last from session_search_due'),
  );
  const { last } = rows[0]!;
  for (let isDue = last !== null; isDue && performance.now() < until; ) {
    const hasIndexed = await indexDueSessions(db, Math.ceil(until - performance.now()));
    const left = await db.query(prepared('select 1 from session_search_due where id <= $1 limit 1'), [last]);
    isDue = left.rows.length > 0;
    if (isDue && !hasIndexed) await delay(LOOK_MS);
  }
}
