import { isVisible, type Visibility, visibilityParameter, visibleSql } from '../../access/visibility.ts';
import type { BudgetConfig, Named } from '../../config/types.ts';
import { activeDegradations, type BudgetUse, usedShare } from '../../engine/features/budgets/budgets.ts';
import type { BudgetStateView } from '../../schema/views.ts';
import type { ReadDb } from './tables.ts';

interface Row extends BudgetUse {
  name: string;
  key: string;
  per: string;
}

const PERIODS = `select per, date_trunc(per, now() at time zone 'UTC') as begins,
  (date_trunc(per, now() at time zone 'UTC') + ('1 ' || per)::interval) at time zone 'UTC' as ends
  from unnest(array['day', 'month']) per`;

/** Returns the budgets that the viewer may see. Viewers limited to teams see none of alert types and sources. */
export async function readBudgets(
  { pool, sight }: ReadDb,
  configured: Named<BudgetConfig>,
): Promise<BudgetStateView[]> {
  const budgets = Object.values(configured).flatMap((budget) => seenOf(budget, sight) ?? []);
  if (budgets.length === 0) return [];
  const periods = await pool.query<{ per: string; ends: Date }>(PERIODS);
  const ends = new Map(periods.rows.map(({ per, ends }) => [per, ends]));
  const uses = await pool.query<Row>(
    `select u.name, u.key, u.per, u.used_usd as usd, u.used_tokens::float8 as tokens
     from budget_uses u join (${PERIODS}) p on p.per = u.per and p.begins::date = u.period
     where u.name = any($1) and (u.name <> all($2) or ${visibleSql('u.key', '$3')}) order by u.used_usd desc, u.used_tokens desc, u.key limit 1000`,
    [namesOf(budgets), namesOf(budgets.filter(({ scope }) => scope === 'team')), visibilityParameter(sight)],
  );
  const session = await pool.query<BudgetUse>(
    `select coalesce(max(cost_usd), 0) as usd, coalesce(max(total_tokens), 0)::float8 as tokens from alert_sessions
     where status in ('IN_PROGRESS', 'CANCELLING', 'WAITING_FOR_APPROVAL') and deleted_at is null and ${visibleSql('team', '$1')}`,
    [visibilityParameter(sight)],
  );
  return budgets.flatMap((budget) => {
    if (budget.per === null) return [stateOf(budget, 'each session', session.rows[0]!, null)];
    const endsAt = ends.get(budget.per) ?? null;
    const rows = uses.rows.filter(({ name, per }) => name === budget.name && per === budget.per);
    return scopesOf(budget, rows).map((key) => {
      const used = rows.find((row) => row.key === key);
      return stateOf(budget, nameOf(budget, key), used, endsAt);
    });
  });
}

const namesOf = (budgets: readonly BudgetConfig[]) => budgets.map(({ name }) => name);

function seenOf(budget: BudgetConfig, sight: Visibility): BudgetConfig | null {
  if (sight === null || budget.scope === 'all' || budget.scope === 'session') return budget;
  if (budget.scope !== 'team') return null;
  const only = budget.only?.filter((team) => isVisible(sight, team)) ?? null;
  return only?.length === 0 ? null : { ...budget, only };
}

/** Returns the keys (such as teams) to list for a budget. '' = all usage together, or no key has usage yet. */
function scopesOf({ scope, only }: BudgetConfig, rows: readonly Row[]): string[] {
  if (scope === 'all') return [''];
  const keys = [...new Set([...rows.map(({ key }) => key), ...(only ?? [])])];
  const counted = only === null ? keys : keys.filter((key) => only.includes(key));
  return counted.length === 0 ? [''] : counted;
}

function nameOf({ scope }: BudgetConfig, key: string): string {
  const kind = scope.replace('_', ' ');
  if (scope === 'all') return 'everything';
  return key === '' ? `each ${kind}` : `${kind} ${key}`;
}

function stateOf(
  budget: BudgetConfig,
  scope: string,
  { usd, tokens }: BudgetUse = { usd: 0, tokens: 0 },
  endsAt: Date | null,
): BudgetStateView {
  const { name, limitUsd, limitTokens } = budget;
  const degradation = activeDegradations(budget, usedShare(budget, { usd, tokens })).at(-1) ?? null;
  const used = { usedUsd: usd, usedTokens: tokens };
  return { name, scope, limitUsd, limitTokens, ...used, periodEndsAt: endsAt, degradation };
}
