import type { BudgetConfig, Named } from '../../../config/types.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Queryable } from '../../../db/queryable.ts';
import { PERIOD } from '../../store/interactions.ts';

/** How a budget stands. */
export interface Standing extends Target {
  used: Used;
  share: number;
  /** When it begins anew; null: with the next session. */
  endsAt: Date | null;
}

const OF_TIMES = `select coalesce(u.used_usd, 0) as usd, coalesce(u.used_tokens, 0)::float8 as tokens,
    (${PERIOD('b.per')} + ('1 ' || b.per)::interval) at time zone 'UTC' as "endsAt"
  from unnest($1::text[], $2::text[], $3::text[]) with ordinality b (name, key, per, n)
  left join budget_uses u on u.name = b.name and u.key = b.key and u.per = b.per and u.period = ${PERIOD('b.per')}::date
  order by b.n`;

const OF_SESSION = `select cost_usd as usd, total_tokens::float8 as tokens from alert_sessions where id = $1`;

/** How budgets stand, as the database has it now: each row is read by its key. @param sessionId null: none has begun */
export async function readStandings(
  db: Queryable,
  targets: readonly Target[],
  sessionId: string | null,
): Promise<Standing[]> {
  const timed = targets.filter(({ budget }) => budget.per !== null);
  const own = sessionId === null ? [] : targets.filter(({ budget }) => budget.per === null);
  const values = [
    timed.map(({ budget }) => budget.name),
    timed.map(({ key }) => key),
    timed.map(({ budget }) => budget.per),
  ];
  const ofTimes =
    timed.length === 0 ? [] : (await db.query<Used & { endsAt: Date }>(prepared(OF_TIMES), values)).rows;
  const ofSession =
    own.length === 0 ? null : (await db.query<Used>(prepared(OF_SESSION), [sessionId])).rows[0];
  return [
    ...timed.map((target, n) => standing(target, ofTimes[n]!, ofTimes[n]!.endsAt)),
    ...(ofSession ? own.map((target) => standing(target, ofSession, null)) : []),
  ];
}

function standing(target: Target, { usd, tokens }: Used, endsAt: Date | null): Standing {
  const used = { usd, tokens };
  return { ...target, used, share: shareOf(target.budget, used), endsAt };
}

/** Why an investigation of this would only wait, in a sentence; null = it would not. */
export async function overBudget(
  db: Queryable,
  budgets: Named<BudgetConfig>,
  subject: Subject,
): Promise<string | null> {
  const targets = targetsOf(budgets, subject).filter(({ budget }) => budget.degrade.includes('queue'));
  if (targets.length === 0) return null;
  const over = (await readStandings(db, targets, null)).find(({ budget, share }) =>
    inForce(budget, share).includes('QUEUE'),
  );
  return over ? `${describeUse(over, over.used)}; it begins anew at ${over.endsAt!.toISOString()}.` : null;
}

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
