import { type Actor, recordAudit } from '../../audit.ts';
import { ConflictError, ForbiddenError, NotFoundError } from '../../common/errors.ts';
import type { AlertSessionRow } from '../../db/entities/index.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import { findResumableAnswer, requestChatCancel } from '../store/chats.ts';
import type { Fence } from '../store/event-statement.ts';
import { requestScoreCancel } from '../store/scores.ts';
import {
  cancelPending,
  cancelRunning,
  lockSession,
  notifyCancel,
  readSession,
  seizeSession,
} from '../store/sessions.ts';
import { CANCELLED, type EndSessionDeps, endSession, type JobQueues } from '../worker/finish-session.ts';

type CancelDeps = EndSessionDeps & Pick<JobQueues, 'enqueueAnswer'>;

type Cancellation =
  /** A waiting session that has ended in this transaction. */
  | { kind: 'ended'; session: SessionSnapshot }
  /** A waiting session with open stages, which ends under this fence after the transaction. */
  | { kind: 'seized'; fence: Fence }
  /** The worker is notified. `isRepeated`: true if an earlier cancellation has already notified it. */
  | { kind: 'notified'; isRepeated: boolean }
  | { kind: 'nothing to cancel' };

/** Cancels as `Engine.cancelSession`. A waiting session ends at once, a running one through its worker. Idempotent. */
export async function cancelSession(
  deps: CancelDeps,
  sessionId: string,
  by: Actor,
  options: { answerOnly: boolean },
): Promise<AlertSessionRow> {
  const cancellation = await deps.transaction(async (tx) => {
    const result = await cancelInTransaction(deps, tx, sessionId, options);
    if (result.kind !== 'nothing to cancel' && !(result.kind === 'notified' && result.isRepeated))
      await recordAudit(tx, by, { action: 'session.cancel', target: { type: 'Session', id: sessionId } });
    return result;
  });
  if (cancellation.kind === 'ended') deps.observer.metrics.sessionEnded(cancellation.session);
  if (cancellation.kind === 'seized') await endSession(deps, cancellation.fence, CANCELLED);
  const session = await readSession(deps.db, sessionId);
  if (!session) throw new NotFoundError(`There is no session ${sessionId}.`);
  if (cancellation.kind === 'nothing to cancel' && isTerminalStatus(session.status))
    throw new ConflictError(`The session has already ended (${session.status}).`);
  return session;
}

/** Cancels within `tx`. Locks the session's row first, so that its status cannot change meanwhile. */
async function cancelInTransaction(
  deps: CancelDeps,
  tx: Queryable,
  sessionId: string,
  { answerOnly }: { answerOnly: boolean },
): Promise<Cancellation> {
  const session = await lockSession(tx, sessionId);
  if (!session) return { kind: 'nothing to cancel' };
  if (answerOnly && !isTerminalStatus(session.status))
    throw new ForbiddenError(
      'With the scope CHAT alone an answer can be stopped, no investigation.',
      'RESPONDER',
    );
  if (session.status === 'PENDING' || session.status === 'WAITING_FOR_APPROVAL') {
    const ended = await cancelPending(tx, sessionId);
    if (!ended) {
      const fence = await seizeSession(tx, sessionId, 'WAITING_AGAIN'); // the session ran and has open stages
      return fence ? { kind: 'seized', fence } : { kind: 'nothing to cancel' };
    }
    await deps.notifySlack?.(tx, sessionId, 'TERMINAL');
    await deps.dispatch(tx); // the session may have held a slot
    return { kind: 'ended', session: ended };
  }
  if (session.status === 'CANCELLING') return { kind: 'notified', isRepeated: true };
  const cancelledId = isTerminalStatus(session.status)
    ? await cancelAfterEnd(deps, tx, sessionId, answerOnly)
    : (await cancelRunning(tx, sessionId)) && sessionId;
  if (!cancelledId) return { kind: 'nothing to cancel' };
  await notifyCancel(tx, cancelledId);
  return { kind: 'notified', isRepeated: false };
}

/** Cancels the unfinished chat answer, else the score. @returns session or score id for notifyCancel, else `null` */
async function cancelAfterEnd(
  deps: CancelDeps,
  tx: Queryable,
  sessionId: string,
  answerOnly: boolean,
): Promise<string | null> {
  if (await requestChatCancel(tx, sessionId)) {
    // An answer that waits for an approval has no worker to notify. The worker that claims the answer next ends it.
    const waiting = await findResumableAnswer(tx, sessionId);
    if (waiting !== null) await deps.enqueueAnswer(tx, waiting);
    return sessionId;
  }
  return answerOnly ? null : requestScoreCancel(tx, sessionId);
}
