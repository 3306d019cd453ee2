import { type Actor, recordAudit } from '../../audit.ts';
import { ConflictError, NotFoundError } from '../../common/errors.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import { createPolledChanges, type PolledChangesDeps, type PolledRows } from '../live/polled-changes.ts';
import { lockSession } from '../store/sessions.ts';
import { MAY_WAIT, runNow, WAIT_REASON } from '../store/waits.ts';

/** Implements `Engine.runSessionNow`. Gives a free slot to the session at once. */
export function runSessionNow(
  deps: { transaction: Transaction; dispatch: (tx: Queryable) => Promise<void> },
  sessionId: string,
  by: Actor,
): Promise<SessionSnapshot> {
  return deps.transaction(async (tx) => {
    const locked = await lockSession(tx, sessionId);
    if (!locked) throw new NotFoundError(`There is no session ${sessionId}.`);
    const session = await runNow(tx, sessionId);
    if (!session) throw new ConflictError(refusalOf(locked.status));
    await recordAudit(tx, by, { action: 'session.run_now', target: { type: 'Session', id: sessionId } });
    await deps.dispatch(tx);
    return session;
  });
}

function refusalOf(status: string): string {
  if (status === 'WAITING_FOR_APPROVAL')
    return 'The session waits for an approval. Decide on the tool call, and it continues.';
  return `The session does not wait in the queue (${status}).`;
}

/** Creates the stream of `Engine.subscribeSystemState`. */
export const createWaitChanges = (deps: PolledChangesDeps) => createPolledChanges<object>(deps, WAITS, {});

/**
 * One row with a fixed id. The row has a new version when the number of waiting sessions per cause changes, or
 * the number of alert groups that wait for a budget.
 */
const WAITS: PolledRows = {
  topic: 'system-state',
  everyMs: 1_000,
  changed: `select 'system' as id, coalesce(md5(string_agg(line, ';' order by line)), '') as version from (
      select concat_ws('/', reason, cause, count(*)) as line
      from (select ${WAIT_REASON} as reason, t.wait ->> 'cause' as cause from alert_sessions t where ${MAY_WAIT}) waiting
      where reason is not null group by reason, cause
      union all
      select concat('groups/', count(*)) from alert_groups where resolved_at is null and last_outcome = 'OVER_BUDGET'
    ) lines where $1::float8 > 0`,
  rows: `select jsonb_build_object('id', id) as row from unnest($1::text[]) id`,
};
