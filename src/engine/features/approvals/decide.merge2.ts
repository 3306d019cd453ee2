import type { ApprovalRow } from '../../../db/entities/index.ts';
import type { Queryable, Transaction } from '../../../db/queryable.ts';
import { decodeRow } from '../../live/event-log.merge1.ts';
import { lockSession } from '../../store/sessions.ts';
import { type GoOnDeps, goOn } from './decide.merge1.ts';

/** Calls that expire in one round: the rest waits for the next. */
const ROUND = 100;

/** Ends the requests on which nobody decided in time; what waited for them goes on. Any process may run this at any time. */
export async function expireApprovals(
  deps: GoOnDeps & { db: Queryable; transaction: Transaction },
): Promise<void> {
  const { rows } = await deps.db.query<{ id: string; sessionId: string }>(
    `select id, session_id as "sessionId" from approvals where status = 'PENDING' and expires_at <= now()
     order by expires_at limit ${ROUND}`,
  );
  for (const { id, sessionId } of rows) {
    await deps.transaction(async (tx) => {
      if ((await lockSession(tx, sessionId)) === null) return;
      const expired = await tx.query<{ row: Record<string, unknown> }>(
        `update approvals a set status = 'EXPIRED', decided_at = now(), updated_at = now()
         where id = $1 and status = 'PENDING' returning to_jsonb(a) as row`,
        [id],
      );
      const [ended] = expired.rows;
      if (ended) await goOn(deps, tx, decodeRow<ApprovalRow>(ended.row), 'Expired: nobody decided in time.');
    });
  }
}
