import type { BudgetConfig, Named } from '../../../config/types.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Queryable } from '../../../db/queryable.ts';
import { currentPeriod } from '../../store/interactions.ts';

export interface BudgetStatus extends BudgetTarget {
  used: BudgetUse;
  /** Used share of the budget: 1 if it is used up, more if it is exceeded. */
  share: number;
  /** End of the current period; `null` for budgets of a single session. */
  endsAt: Date | null;
}

const PERIOD_USE = `select coalesce(u.used_usd, 0) as usd, coalesce(u.used_tokens, 0)::float8 as tokens,
    (${currentPeriod('b.per')} + ('1 ' || b.per)::interval) at time zone 'UTC' as "endsAt"
  from unnest($1::text[], $2::text[], $3::text[]) with ordinality b (name, key, per, n)
  left join budget_uses u on u.name = b.name and u.key = b.key and u.per = b.per and u.period = ${currentPeriod('b.per')}::date
  order by b.n`;

const SESSION_USE = `select cost_usd as usd, total_tokens::float8 as tokens from alert_sessions where id = $1`;

/**
 * Reads the current usage of budgets. @param sessionId `null` before the session exists; omits per-session
 * budgets
 */
export async function readBudgetStatus(
  db: Queryable,
  targets: readonly BudgetTarget[],
  sessionId: string | null,
): Promise<BudgetStatus[]> {
  const periodic = targets.filter(({ budget }) => budget.per !== null);
  const perSession = targets.filter(({ budget }) => budget.per === null);
  const values = [
    periodic.map(({ budget }) => budget.name),
    periodic.map(({ key }) => key),
    periodic.map(({ budget }) => budget.per),
  ];
  const periodUse =
    periodic.length === 0
      ? []
      : (await db.query<BudgetUse & { endsAt: Date }>(prepared(PERIOD_USE), values)).rows;
  const sessionUse =
    perSession.length === 0 ? null : (await db.query<BudgetUse>(prepared(SESSION_USE), [sessionId])).rows[0];
  return [
    ...periodic.map((target, n) => budgetStatus(target, periodUse[n]!, periodUse[n]!.endsAt)),
    ...(sessionUse ? perSession.map((target) => budgetStatus(target, sessionUse, null)) : []),
  ];
}

function budgetStatus(target: BudgetTarget, { usd, tokens }: BudgetUse, endsAt: Date | null): BudgetStatus {
  const used = { usd, tokens };
  return { ...target, used, share: usedShare(target.budget, used), endsAt };
}

/** True if investigations may have to wait for the budget. */
export const isQueueing = ({ degrade }: BudgetConfig): boolean => degrade.includes('queue');

/** True if investigations have to wait for the budget now. */
export const isBlocking = ({ budget, share }: BudgetStatus): boolean =>
  activeDegradations(budget, share).includes('QUEUE');

/** Returns a budget for which investigations of a subject have to wait; `null` if there is none. */
export async function findBlocking(
  db: Queryable,
  budgets: Named<BudgetConfig>,
  subject: BudgetSubject,
): Promise<BudgetStatus | null> {
  const targets = matchingBudgets(budgets, subject).filter(({ budget }) => isQueueing(budget));
  if (targets.length === 0) return null;
  return (await readBudgetStatus(db, targets, null)).find(isBlocking) ?? null;
}

/** Returns why an investigation would have to wait for a budget, as a sentence; `null` if it could start. */
export async function overBudgetReason(
  db: Queryable,
  budgets: Named<BudgetConfig>,
  subject: BudgetSubject,
): Promise<string | null> {
  const over = await findBlocking(db, budgets, subject);
  return over && describeWait(over);
}

/**
 * Returns why investigations wait, such as `The budget all has used … today. The budget resets at 2026-01-02 00:00
 * UTC.`
 */
export function describeWait(status: BudgetStatus): string {
  const end = status.endsAt!.toISOString().slice(0, 16).replace('T', ' ');
  return `${describeUse(status, status.used)}. The budget resets at ${end} UTC.`;
}

export type Degradation = 'CHEAPER_MODEL' | 'FEWER_ITERATIONS' | 'CONCLUDE' | 'QUEUE';

export interface BudgetTarget {
  budget: BudgetConfig;
  /** The session's alert type, team or source, by the budget's scope; '' for other scopes. */
  key: string;
}

/** Properties of a session that decide which budgets apply to it; `null` if the session lacks one. */
export interface BudgetSubject {
  alertType: string | null;
  team: string | null;
  source: string | null;
}

export interface BudgetUse {
  usd: number;
  tokens: number;
}

/** Used share of a budget at which the timeline shows a warning. */
export const WARNING_SHARE = 0.8;

export function matchingBudgets(budgets: Named<BudgetConfig>, subject: BudgetSubject): BudgetTarget[] {
  return Object.values(budgets).flatMap((budget) => {
    const key = keyOf(budget, subject);
    return key !== null && isKeyOf(budget, key) ? [{ budget, key }] : [];
  });
}

/** True if the budget counts usage for this key, as in `BudgetTarget.key`. */
export function isKeyOf({ scope, only }: BudgetConfig, key: string): boolean {
  const isShared = scope === 'all' || scope === 'session';
  return isShared === (key === '') && (only === null || only.includes(key));
}

function keyOf({ scope }: BudgetConfig, { alertType, team, source }: BudgetSubject): string | null {
  if (scope === 'alert_type') return alertType;
  if (scope === 'team') return team;
  return scope === 'source' ? source : '';
}

/** Returns the used share of a budget: the share of its costs or of its tokens, whichever is larger. */
export function usedShare({ limitUsd, limitTokens }: BudgetConfig, { usd, tokens }: BudgetUse): number {
  return Math.max(limitUsd === null ? 0 : usd / limitUsd, limitTokens === null ? 0 : tokens / limitTokens);
}

/**
 * Returns the degradations that apply when this share of the budget is used (1 = all), in the order of the
 * configuration.
 */
export function activeDegradations(
  { degrade, degradeEveryPercent }: BudgetConfig,
  share: number,
): Degradation[] {
  const reached = degrade.filter((_, index) => share >= 1 + (index * degradeEveryPercent) / 100);
  return reached.map((step) => step.toUpperCase() as Degradation);
}

/**
 * Returns a sentence such as `The budget all has used $41.00 of $50.00 (82 %) this month`, without a full
 * stop.
 */
export function describeUse({ budget, key }: BudgetTarget, used: BudgetUse): string {
  const { name, scope, limitUsd, limitTokens, per } = budget;
  const scopeText = key === '' ? '' : ` for the ${scope.replace('_', ' ')} ${key}`;
  const parts = [
    ...(limitUsd === null ? [] : [`$${formatUsd(used.usd)} of $${formatUsd(limitUsd)}`]),
    ...(limitTokens === null
      ? []
      : [`${used.tokens.toLocaleString('en')} of ${limitTokens.toLocaleString('en')} tokens`]),
  ];
  const when = per === null ? 'in this session' : per === 'day' ? 'today' : 'this month';
  const percent = Math.floor(100 * usedShare(budget, used));
  return `The budget ${name}${scopeText} has used ${parts.join(' and ')} (${percent} %) ${when}`;
}

function formatUsd(usd: number): string {
  return usd >= 0.1 || usd === 0 ? usd.toFixed(2) : String(Number(usd.toPrecision(2)));
}

const SUBJECT = `select s.alert_type as "alertType", s.team,
    coalesce((select g.source from alert_groups g where g.id = s.group_id),
      (select min(g.source) from alert_groups g where g.session_id = s.id)) as source,
    s.run_now_at is not null or exists (select 1 from replays p where p.session_id = s.id) as "mayExceed"
  from alert_sessions s where s.id = $1`;

/**
 * Reads the properties that decide which budgets apply to a session; `null` if the session does not exist.
 * `mayExceed`: true if budgets do not delay it, because a responder started it with "run now", or because it is a replay.
 */
export async function readSubject(
  db: Queryable,
  sessionId: string,
): Promise<(BudgetSubject & { mayExceed: boolean }) | null> {
  const { rows } = await db.query<BudgetSubject & { mayExceed: boolean }>(prepared(SUBJECT), [sessionId]);
  return rows[0] ?? null;
}
