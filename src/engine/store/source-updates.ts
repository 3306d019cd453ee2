import type { Queryable } from '../../db/queryable.ts';
import type { Headline, SessionSnapshot } from '../api/engine.ts';
import { writeSession } from './event-statement.ts';

/** What sources tell later of the problem that a session is about. */

/** Gives a session that never ran a newer text of its alert, and what it is about; false when it runs or ran. */
export async function updatePendingAlert(
  db: Queryable,
  sessionId: string,
  alertData: string,
  { title, severity, entities }: Headline,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update alert_sessions set alert_data = $2, title = $3, severity = $4, entities = $5
     where id = $1 and status = 'PENDING' and attempt = 0`,
    [sessionId, alertData, title, severity, entities],
  );
  return rowCount === 1;
}

/** Notes when the source said that the problem is over, once; null when that was noted already. */
export function markResolved(db: Queryable, sessionId: string): Promise<SessionSnapshot | null> {
  return writeSession(db, sessionId, {
    guard: 's.resolved_at is null',
    assign: 'resolved_at = now()',
    values: [],
  });
}

/** Takes back, while it has not ended, that its problem is over: it fires again. */
export function markFiring(db: Queryable, sessionId: string): Promise<SessionSnapshot | null> {
  return writeSession(db, sessionId, {
    guard: 's.resolved_at is not null and s.completed_at is null',
    assign: 'resolved_at = null',
    values: [],
  });
}
