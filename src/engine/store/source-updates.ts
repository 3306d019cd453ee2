import type { Queryable } from '../../db/queryable.ts';
import type { Headline, SessionSnapshot } from '../api/engine.ts';
import { writeSession } from './event-statement.ts';
import { headStart } from './sessions.ts';

/** Replaces the alert of a session that never ran. Returns false if a worker has already claimed the session. */
export async function updatePendingAlert(
  db: Queryable,
  sessionId: string,
  alertData: string,
  { title, severity, entities }: Headline,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update alert_sessions set alert_data = $2, title = $3, severity = $4, entities = $5,
       queue_at = least(queue_at, created_at - ${headStart('$4')})
     where id = $1 and status = 'PENDING' and attempt = 0`,
    [sessionId, alertData, title, severity, entities],
  );
  return rowCount === 1;
}

/** Stores when the source reported the problem as resolved. Returns `null` if that is already stored. */
export function markResolved(db: Queryable, sessionId: string): Promise<SessionSnapshot | null> {
  return writeSession(db, sessionId, {
    guard: 's.resolved_at is null',
    assign: 'resolved_at = now()',
  });
}

/** Clears a session's resolved time, because its alert fires again. `null` if not resolved, or already ended. */
export function markFiring(db: Queryable, sessionId: string): Promise<SessionSnapshot | null> {
  return writeSession(db, sessionId, {
    guard: 's.resolved_at is not null and s.completed_at is null',
    assign: 'resolved_at = null',
  });
}
