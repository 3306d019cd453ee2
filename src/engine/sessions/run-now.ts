import { type Actor, recordAudit } from '../../audit.ts';
import { ConflictError, NotFoundError } from '../../common/errors.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import { lockSession } from '../store/sessions.ts';
import { runNow } from '../store/waits.ts';

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
