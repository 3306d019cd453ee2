import type { Queryable } from '../../db/queryable.ts';
import type { CostValue } from '../../schema/views.ts';

/** Returns a reader that sums the cost of the calls that reference each key. */
export function readCosts(column: 'session_id' | 'stage_id' | 'execution_id') {
  return async (db: Queryable, ids: readonly string[]): Promise<CostValue[]> => {
    const { rows } = await db.query<CostValue & { id: string }>(
      `select ${column} as id, coalesce(sum(cost_usd), 0) as usd, count(*) filter (where cost_usd is null)::int as "unpricedCalls"
       from llm_interactions where ${column} = any($1) group by 1`,
      [ids],
    );
    const found = new Map(rows.map(({ id, ...cost }) => [id, cost]));
    return ids.map((id) => found.get(id) ?? { usd: 0, unpricedCalls: 0 });
  };
}
