import type { Change, Part } from './event-statement.ts';
import type { CountedBudget, Usage } from './stages-and-executions.ts';

/** By the database's clock, in UTC. */
export const PERIOD = (per: string): string => `date_trunc(${per}, now() at time zone 'UTC')`;

/** Rows are locked in one order, whoever writes: sessions side by side count in the same. */
const BUDGET_USE: Part = {
  name: 'budget_use',
  columns: { name: 'text', key: 'text', per: 'text', usd: 'double precision', tokens: 'bigint' },
  sql: (rows) => `insert into budget_uses as u (name, key, period, per, used_usd, used_tokens)
    select r.name, r.key, ${PERIOD('r.per')}::date, r.per, sum(r.usd), sum(r.tokens) from locked l, ${rows}
    group by r.name, r.key, r.per order by r.name, r.key, r.per
    on conflict (name, key, period, per)
      do update set used_usd = u.used_usd + excluded.used_usd, used_tokens = u.used_tokens + excluded.used_tokens`,
};

/** Adds a call to what was used of a budget. */
export function useOf(budget: CountedBudget, { costUsd, totalTokens }: Usage): Change {
  return { part: BUDGET_USE, row: { ...budget, usd: costUsd ?? 0, tokens: totalTokens } };
}
