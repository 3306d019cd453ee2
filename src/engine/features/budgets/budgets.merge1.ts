import type { BudgetConfig, Named } from '../../../config/types.ts';

/** What is done above a budget. */
export type Degradation = 'CHEAPER_MODEL' | 'FEWER_ITERATIONS' | 'CONCLUDE' | 'QUEUE';

/** A budget that holds for a session, and what of its scope the session is: '' where that is everything. */
export interface Target {
  budget: BudgetConfig;
  key: string;
}

/** What of a session decides which budgets hold for it; null = it has none. */
export interface Subject {
  alertType: string | null;
  team: string | null;
  source: string | null;
}

export interface Used {
  usd: number;
  tokens: number;
}

/** Part of a budget from which on people are told. */
export const WARNING_SHARE = 0.8;

/** The budgets that hold for a session. */
export function targetsOf(budgets: Named<BudgetConfig>, subject: Subject): Target[] {
  return Object.values(budgets).flatMap((budget) => {
    const key = keyOf(budget, subject);
    const counts = key !== null && (budget.only === null || budget.only.includes(key));
    return counts ? [{ budget, key }] : [];
  });
}

function keyOf({ scope }: BudgetConfig, { alertType, team, source }: Subject): string | null {
  if (scope === 'alert_type') return alertType;
  if (scope === 'team') return team;
  return scope === 'source' ? source : '';
}

/** How much of a budget is used: 1 = all of it. */
export function shareOf({ limitUsd, limitTokens }: BudgetConfig, { usd, tokens }: Used): number {
  return Math.max(limitUsd === null ? 0 : usd / limitUsd, limitTokens === null ? 0 : tokens / limitTokens);
}

/** What is to be done by now, in the order of the configuration. */
export function inForce({ degrade, degradeEveryPercent }: BudgetConfig, share: number): Degradation[] {
  const reached = degrade.filter((_, place) => share >= 1 + (place * degradeEveryPercent) / 100);
  return reached.map((step) => step.toUpperCase() as Degradation);
}

/** `The budget all has used $41.00 of $50.00 (82 %) this month`. */
export function describeUse({ budget, key }: Target, used: Used): string {
  const { name, scope, limitUsd, limitTokens, per } = budget;
  const of = key === '' ? '' : ` for the ${scope.replace('_', ' ')} ${key}`;
  const parts = [
    ...(limitUsd === null ? [] : [`$${digits(used.usd)} of $${digits(limitUsd)}`]),
    ...(limitTokens === null
      ? []
      : [`${used.tokens.toLocaleString('en')} of ${limitTokens.toLocaleString('en')} tokens`]),
  ];
  const when = per === null ? 'in this session' : per === 'day' ? 'today' : 'this month';
  const percent = Math.floor(100 * shareOf(budget, used));
  return `The budget ${name}${of} has used ${parts.join(' and ')} (${percent} %) ${when}`;
}

function digits(usd: number): string {
  return usd >= 0.1 || usd === 0 ? usd.toFixed(2) : String(Number(usd.toPrecision(2)));
}
