import { prepared } from '../../../db/prepared.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { BudgetSubject } from './budgets.ts';

const SUBJECT = `select s.alert_type as "alertType", s.team,
    coalesce((select g.source from alert_groups g where g.id = s.group_id),
      (select min(g.source) from alert_groups g where g.session_id = s.id)) as source,
    s.run_now_at is not null as "mayExceed"
  from alert_sessions s where s.id = $1`;

/**
 * Reads the properties that decide which budgets apply to a session; `null` if the session does not exist.
 * `mayExceed`: true if a responder started it with "run now", so that budgets do not delay it.
 */
export async function readSubject(
  db: Queryable,
  sessionId: string,
): Promise<(BudgetSubject & { mayExceed: boolean }) | null> {
  const { rows } = await db.query<BudgetSubject & { mayExceed: boolean }>(prepared(SUBJECT), [sessionId]);
  return rows[0] ?? null;
}
