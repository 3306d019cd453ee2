import type { Logger } from 'pino';
import { oneByOne } from '../../db/one-by-one.ts';
import { requeueExpired, seizeSession } from '../store/sessions.ts';
import { CANCELLED, type EndSessionDeps, endSession, NO_RESULTS } from '../worker/finish-session.ts';

/** Maximum number of sessions recovered in one call; the next call recovers the rest. */
const BATCH_SIZE = 100;

type RecoverDeps = EndSessionDeps & { maxAttempts: number; logger: Logger };

/**
 * Requeues sessions whose lease has expired. Ends sessions that were being cancelled or lost too many workers. Any
 * process may call this function at any time. @returns the number of expired sessions
 */
export async function recoverSessions(deps: RecoverDeps): Promise<number> {
  const { rows } = await deps.db.query<ExpiredSession>(
    `select id, status, workers_lost + 1 as lost from alert_sessions
     where lease_expires_at < now() and status in ('IN_PROGRESS', 'CANCELLING') order by lease_expires_at limit ${BATCH_SIZE}`,
  );
  await oneByOne(rows, (session) => recoverSession(deps, session));
  return rows.length;
}

interface ExpiredSession {
  id: string;
  status: 'IN_PROGRESS' | 'CANCELLING';
  /** Number of workers that the session has lost. */
  lost: number;
}

async function recoverSession(deps: RecoverDeps, { id, status, lost }: ExpiredSession): Promise<void> {
  const { db, maxAttempts, observer, logger } = deps;
  logger.warn({ sessionId: id, status, workersLost: lost }, 'worker of a session lost');
  if (status === 'IN_PROGRESS' && lost < maxAttempts) {
    if (await requeueExpired(db, id)) observer.metrics.leaseRecovered('REQUEUED');
    return;
  }
  const fence = await seizeSession(db, id, 'LEASE_EXPIRED');
  if (!fence) return;
  const errorMessage = `The worker of this session was lost ${lost} times (crashed or unreachable). TARSy does not retry the session.`;
  const outcome =
    status === 'CANCELLING' ? CANCELLED : ({ ...NO_RESULTS, status: 'FAILED', errorMessage } as const);
  await endSession(deps, fence, outcome);
  observer.metrics.leaseRecovered(outcome.status);
}

/**
 * Tracks whether an expired lease proves that its worker is gone. During a database outage and for `graceMs`
 * after it, an expired lease proves nothing, because no worker could renew one.
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
