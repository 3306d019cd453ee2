import type { Logger } from 'pino';
import { requeueExpired, seizeSession } from '../store/sessions.ts';
import { type EndSessionDeps, endSession } from '../worker/finish-session.ts';

/** Sessions looked after in one round: the rest waits for the next. */
const ROUND = 100;

/**
 * Looks after sessions whose worker is gone: back to the queue, where they go on, or to an end when they lost too many
 * workers or were being cancelled. Any process may run this at any time.
 * @returns how many sessions changed
 */
export async function recoverSessions(
  deps: EndSessionDeps & { maxAttempts: number; logger: Logger },
): Promise<number> {
  const { db, maxAttempts, observer, logger } = deps;
  const { rows } = await db.query<{ id: string; status: string; lost: number }>(
    `select id, status, workers_lost + 1 as lost from alert_sessions
     where lease_expires_at < now() and status in ('IN_PROGRESS', 'CANCELLING') order by lease_expires_at limit ${ROUND}`,
  );
  for (const { id, status, lost } of rows) {
    logger.warn({ sessionId: id, status, workersLost: lost }, 'worker of a session is gone');
    if (status === 'IN_PROGRESS' && lost < maxAttempts) {
      if (await requeueExpired(db, id)) observer.metrics.leaseRecovered('REQUEUED');
    } else await endExpired(deps, id, status === 'CANCELLING', lost);
  }
  await deps.offerSlot();
  return rows.length;
}

async function endExpired(
  deps: EndSessionDeps,
  sessionId: string,
  cancelled: boolean,
  lost: number,
): Promise<void> {
  const fence = await seizeSession(deps.db, sessionId, 'LEASE_EXPIRED');
  if (!fence) return;
  const outcome = cancelled
    ? ({ status: 'CANCELLED', errorMessage: 'Cancelled.' } as const)
    : ({
        status: 'FAILED',
        errorMessage: `The worker of this session was lost ${lost} times (it crashed, or could not be reached); it is not started again.`,
      } as const);
  const end = { ...outcome, finalAnalysis: null, executiveSummary: null, executiveSummaryError: null };
  await endSession(deps, fence, end);
  deps.observer.metrics.leaseRecovered(outcome.status);
}

/**
 * When leases can be trusted to tell that a worker is gone: not just after the database was away, for then nobody could
 * renew them. Whoever lives on does so as soon as it is back.
 * @param graceMs how long that may take
 */
export function createReachability(graceMs: number) {
  let isAway = false;
  let backAt = Number.NEGATIVE_INFINITY;
  return {
    reached(): void {
      if (isAway) backAt = performance.now();
      isAway = false;
    },
    lost(): void {
      isAway = true;
    },
    get isSteady(): boolean {
      return !isAway && performance.now() - backAt > graceMs;
    },
  };
}
