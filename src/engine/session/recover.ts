import type { Logger } from 'pino';
import type { Queryable } from '../events/log.ts';
import type { Observer } from '../observer.ts';
import type { NotifySlack } from '../slack/posts.ts';
import { finishSession, requeueExpired, seizeSession } from './lifecycle.ts';
import { closeEverythingOpen } from './progress.ts';
import type { Transaction } from './transaction.ts';

/** Sessions looked after in one round: the rest waits for the next. */
const ROUND = 100;

/**
 * Looks after sessions whose worker is gone: back to the queue, where they go on, or to an end when they were
 * started too often or were being cancelled. Any process may run this at any time.
 * @returns how many sessions changed
 */
export async function recoverSessions(deps: {
  db: Queryable;
  transaction: Transaction;
  dispatch: (db: Queryable) => Promise<void>;
  notifySlack: NotifySlack;
  maxAttempts: number;
  observer: Observer;
  logger: Logger;
}): Promise<number> {
  const { db, transaction, dispatch, maxAttempts, observer, logger } = deps;
  const { rows } = await db.query<{ id: string; status: string; attempt: number }>(
    `select id, status, attempt from alert_sessions
     where lease_expires_at < now() and status in ('IN_PROGRESS', 'CANCELLING') order by lease_expires_at limit ${ROUND}`,
  );
  for (const { id, status, attempt } of rows) {
    logger.warn({ sessionId: id, status, attempt }, 'worker of a session is gone');
    if (status === 'IN_PROGRESS' && attempt < maxAttempts) {
      if (await requeueExpired(db, id)) observer.metrics.leaseRecovered('REQUEUED');
    } else await endExpired(deps, id, status === 'CANCELLING', attempt);
  }
  await transaction(dispatch);
  return rows.length;
}

async function endExpired(
  { db, transaction, dispatch, notifySlack, observer }: Parameters<typeof recoverSessions>[0],
  sessionId: string,
  cancelled: boolean,
  attempts: number,
): Promise<void> {
  const fence = await seizeSession(db, sessionId, 'LEASE_EXPIRED');
  if (!fence) return;
  const outcome = cancelled
    ? ({ status: 'CANCELLED', errorMessage: 'Cancelled.' } as const)
    : ({
        status: 'FAILED',
        errorMessage: `The worker of this session was lost ${attempts} times; it is not started again.`,
      } as const);
  await closeEverythingOpen(db, fence, outcome);
  const ended = await transaction(async (tx) => {
    const end = { ...outcome, finalAnalysis: null, executiveSummary: null, executiveSummaryError: null };
    const finished = await finishSession(tx, fence, end);
    if (finished) await notifySlack(tx, sessionId, 'TERMINAL');
    await dispatch(tx);
    return finished;
  });
  if (!ended) return;
  observer.metrics.leaseRecovered(outcome.status);
  observer.metrics.sessionEnded(ended);
}
