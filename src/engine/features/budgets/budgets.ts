import type { BudgetConfig, Named } from '../../../config/types.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Queryable } from '../../../db/queryable.ts';
import { PERIOD } from '../../store/interactions.merge1.ts';
import {
  describeUse,
  inForce,
  type Subject,
  shareOf,
  type Target,
  targetsOf,
  type Used,
} from './budgets.merge1.ts';

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
