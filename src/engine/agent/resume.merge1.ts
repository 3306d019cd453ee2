import type { Queryable } from '../../db/queryable.ts';
import type { Kept } from '../model/context-window/window.ts';

/** As the trace of a call tells it; nothing while nothing was left out. */
export function keptAsStored(kept: Kept): { kept?: Kept } {
  return kept.evictedThrough === 0 && kept.maxWeight === null ? {} : { kept };
}

/** What an earlier run of an execution left out of its conversation, so that its next request begins with its last. */
export async function readKept(db: Queryable, executionId: string, model: string): Promise<Kept> {
  const { rows } = await db.query<Kept>(
    `select coalesce(max((request -> 'kept' ->> 'evictedThrough')::int), 0) as "evictedThrough",
       min((request -> 'kept' ->> 'maxWeight')::int) filter (where model_name = $2) as "maxWeight"
     from llm_interactions where execution_id = $1 and type <> 'SUMMARIZATION'`,
    [executionId, model],
  );
  return rows[0]!;
}
