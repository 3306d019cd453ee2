import type { BudgetConfig, Named } from '../../../config/types.ts';
import type { SessionWait } from '../../../db/entities/index.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { Observer } from '../../api/observer.ts';
import { readParkedCauses, resumeParked } from '../../store/waits.ts';
import {
  type BudgetStatus,
  type BudgetTarget,
  describeWait,
  findBlocking,
  isBlocking,
  isKeyOf,
  isQueueing,
  readBudgetStatus,
  readSubject,
} from './budgets.ts';

export interface BudgetWaitDeps {
  db: Queryable;
  config: { budgets: Named<BudgetConfig> };
  observer: { metrics: Pick<Observer['metrics'], 'budgetRead'> };
}

/**
 * Returns the cause of a wait: the name of the budget, and the team, alert type or source whose usage it
 * counts.
 */
const causeOf = ({ budget, key }: BudgetTarget) => `${budget.name}/${key}`;

/**
 * Returns the budget and key that a cause names; `null` if no budget for which sessions wait has that cause.
 */
export function budgetOfCause(budgets: Named<BudgetConfig>, cause: string): BudgetTarget | null {
  for (const budget of Object.values(budgets).filter(isQueueing)) {
    const key = cause.startsWith(`${budget.name}/`) ? cause.slice(budget.name.length + 1) : null;
    if (key !== null && isKeyOf(budget, key)) return { budget, key };
  }
  return null;
}

/** Returns the wait of a session for a budget that is used up. */
export function budgetWait(status: BudgetStatus): SessionWait {
  return {
    reason: 'BUDGET',
    cause: causeOf(status),
    message: describeWait(status),
    until: status.endsAt!.toISOString(),
  };
}

/** Returns the wait of a session that has not begun; `null` if its budgets let it begin. */
export async function findBudgetWait(
  { db, config: { budgets } }: BudgetWaitDeps,
  sessionId: string,
): Promise<SessionWait | null> {
  if (Object.values(budgets).every((budget) => !isQueueing(budget))) return null;
  const subject = await readSubject(db, sessionId);
  if (subject === null || subject.mayExceed) return null;
  const over = await findBlocking(db, budgets, subject);
  return over && budgetWait(over);
}

/**
 * Resumes parked sessions whose cause is gone: the budget has room again, has another limit, or no longer
 * exists. A cause that this version does not know counts as gone, so that no session stays parked forever.
 * @returns the number of resumed sessions
 */
export async function endBudgetWaits({ db, config, observer }: BudgetWaitDeps): Promise<number> {
  const causes = await readParkedCauses(db);
  if (causes.length === 0) return 0;
  const targets = causes.flatMap((cause) => budgetOfCause(config.budgets, cause) ?? []);
  const statuses = await readBudgetStatus(db, targets, null);
  for (const { budget, key, share } of statuses) observer.metrics.budgetRead(budget.name, key, share);
  const blocking = new Set(statuses.filter(isBlocking).map(causeOf));
  const gone = causes.filter((cause) => !blocking.has(cause));
  return gone.length === 0 ? 0 : resumeParked(db, gone);
}
