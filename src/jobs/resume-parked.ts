import type { Logger } from 'pino';
import { runPeriodically } from '../common/periodic.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import { type BudgetWaitDeps, endBudgetWaits } from '../engine/features/budgets/budget-wait.ts';

/** Interval (ms) between checks whether parked sessions may run, and so the longest delay after their cause ends. */
const INTERVAL_MS = 1_000;

/**
 * Resumes parked sessions whose budget has room again: now, and then at regular intervals. Polling covers every way in
 * which a wait ends: a process with a new limit, or a new day or month. The causes are few, so polling is cheap.
 */
export function startResuming(
  deps: BudgetWaitDeps & {
    transaction: Transaction;
    dispatch: (tx: Queryable) => Promise<void>;
    logger: Logger;
  },
): { stop(): Promise<void> } {
  async function resume(): Promise<void> {
    const resumed = await endBudgetWaits(deps);
    if (resumed === 0) return;
    deps.logger.info({ sessions: resumed }, 'parked sessions resumed');
    await deps.transaction(deps.dispatch);
  }
  return runPeriodically(resume, {
    task: 'resume parked sessions',
    everyMs: INTERVAL_MS,
    logger: deps.logger,
  });
}
