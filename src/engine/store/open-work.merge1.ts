import type { Queryable } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import { STILL_WAITS, WAITED } from './approvals.ts';
import { type Fence, HELD, writeSession } from './event-statement.ts';

const ANY_WAITED = `exists (select 1 from agent_executions e where e.session_id = s.id and ${WAITED})`;
const ALL_WAIT = `exists (select 1 from agent_executions e where e.session_id = s.id and ${STILL_WAITS}) and not ${ANY_WAITED}`;

/**
 * Gives back a running session that waits for people: it has neither slot nor lease until they have decided. Its row must be
 * locked: who decides meanwhile must be seen. Null when it is not this run's any more.
 */
export function parkSession(tx: Queryable, fence: Fence): Promise<SessionSnapshot | null> {
  return writeSession(tx, fence.sessionId, {
    guard: `${HELD} and s.status = 'IN_PROGRESS'`,
    assign: `status = case when ${ALL_WAIT} then 'WAITING_FOR_APPROVAL' else 'PENDING' end, parked_at = now(),
      dispatched_at = null, lease_expires_at = null, worker_id = null`,
    values: [fence.attempt],
  });
}

/** Sends a session back to the queue of which an agent has waited for people who have decided by now; null when there is none. */
export function unparkSession(tx: Queryable, sessionId: string): Promise<SessionSnapshot | null> {
  return writeSession(tx, sessionId, {
    guard: `s.status = 'WAITING_FOR_APPROVAL' and not (${ALL_WAIT})`,
    assign: `status = 'PENDING'`,
    values: [],
  });
}
