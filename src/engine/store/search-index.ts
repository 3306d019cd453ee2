import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';

/** Intervals (ms) between indexing rounds while sessions are due, and otherwise. A search indexes what is due. */
export const INDEX_POLL_MS = 250;
export const INDEX_IDLE_MS = 2_000;
/** Time limit (ms) of one round. Short, so that most indexing waits until a flood of alerts is over. */
const ROUND_MS = 25;
/** Time limit (ms) for indexing the latest sessions before a search. */
export const SEARCH_INDEX_BUDGET_MS = 2000;

/** Builds the search documents of sessions that are due, oldest first. @returns false if none was due */
export async function indexDueSessions(db: Queryable, forMs = ROUND_MS): Promise<boolean> {
  const { rows } = await db.query<{ made: number }>(prepared('select tarsy_index_due($1) as made'), [forMs]);
  return rows[0]!.made > 0;
}
