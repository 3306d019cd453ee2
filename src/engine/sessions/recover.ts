import type { Logger } from 'pino';
import { requeueExpired, seizeSession } from '../store/sessions.ts';
import { type EndSessionDeps, endSession } from '../worker/finish-session.ts';

/** Maximum number of sessions recovered in one call; the next call recovers the rest. */
const BATCH_SIZE = 100;

/**
 * Recovers sessions whose lease has expired because their worker is gone. Requeues them, or ends those that were being
 * cancelled or lost too many workers. Any process may call it at any time.
 * @returns the number of expired sessions
 */
export async function recoverSessions(
  deps: EndSessionDeps & { maxAttempts: number; logger: Logger },
): Promise<number> {
  const { db, maxAttempts, observer, logger } = deps;
  const { rows } = await db.query<{ id: string; status: string; lost: number }>(
    `select id, status, workers_lost + 1 as lost from alert_sessions
     where lease_expires_at < now() and status in ('IN_PROGRESS', 'CANCELLING') order by lease_expires_at limit ${BATCH_SIZE}`,
  );
  for (const { id, status, lost } of rows) {
    logger.warn({ sessionId: id, status, workersLost: lost }, 'worker of a session lost');
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
        errorMessage: `The worker of this session was lost ${lost} times (it crashed, or could not be reached); it is not retried.`,
      } as const);
  const end = { ...outcome, finalAnalysis: null, executiveSummary: null, executiveSummaryError: null };
  await endSession(deps, fence, end);
  deps.observer.metrics.leaseRecovered(outcome.status);
}

/**
 * Tracks whether an expired lease proves that its worker is gone. Shortly after a database outage it does not, because no
 * worker could renew a lease meanwhile.
 * @param graceMs time for live workers to renew after the outage
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
