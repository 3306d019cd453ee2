import { type Actor, recordAudit } from '../../audit.ts';
import { ConflictError, ForbiddenError, NotFoundError } from '../../common/errors.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import type { CancelOptions, CancelRefusal, SessionSnapshot } from '../api/engine.ts';
import { maskUserText } from '../common/user-text.ts';
import { isReplay } from '../features/cases/store.ts';
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

/** Maximum length of the reason for a cancellation (characters). */
const REASON_MAX_LENGTH = 1_000;

type CancelDeps = EndSessionDeps & Pick<JobQueues, 'enqueueAnswer'> & { masking: Pick<Masking, 'maskChat'> };

type Cancellation =
  /** A waiting session that has ended in this transaction. */
  | { kind: 'ended'; session: SessionSnapshot }
  /** A waiting session with open stages, which ends under this fence after the transaction. */
  | { kind: 'seized'; fence: Fence }
  /** The worker is notified. `isRepeated`: true if an earlier cancellation has already notified it. */
  | { kind: 'notified'; isRepeated: boolean }
  | { kind: 'nothing to cancel' };

/**
 * Implements `Engine.cancelSession`. Ends a waiting session at once, and a running one through its worker.
 * Idempotent.
 */
export async function cancelSession(
  deps: CancelDeps,
  sessionId: string,
  by: Actor,
  { reason, ...options }: CancelOptions,
): Promise<SessionSnapshot> {
  return cancelMasked(deps, sessionId, by, { ...options, reason: maskedReason(deps, reason) });
}

/**
 * Implements `Engine.cancelSessions`. Cancels waiting sessions first, so that slots of cancelled running
 * sessions do not start them.
 */
export async function cancelSessions(
  deps: CancelDeps,
  sessionIds: readonly string[],
  by: Actor,
  reason: string | null,
): Promise<(SessionSnapshot | CancelRefusal)[]> {
  const options = { only: 'INVESTIGATION', reason: maskedReason(deps, reason) } as const;
  const { rows } = await deps.db.query<{ id: string }>(
    `select id from alert_sessions where id = any($1) order by status <> 'PENDING', id`,
    [sessionIds],
  );
  const results = new Map<string, SessionSnapshot | CancelRefusal>();
  for (const { id } of rows)
    results.set(
      id,
      await cancelMasked(deps, id, by, options).catch((error: unknown) => {
        if (error instanceof ConflictError || error instanceof NotFoundError) return error;
        throw error;
      }),
    );
  return sessionIds.map((id) => results.get(id) ?? new NotFoundError(`There is no session ${id}.`));
}

/** Returns the reason with secrets masked, as it is stored; `null` if it is blank. @throws ValidationError */
function maskedReason({ masking }: CancelDeps, reason: string | null): string | null {
  const text = reason?.trim() || null;
  const limits = { field: 'reason', name: 'reason', maxLength: REASON_MAX_LENGTH };
  return text && maskUserText(masking, { text, ...limits });
}

async function cancelMasked(
  deps: CancelDeps,
  sessionId: string,
  by: Actor,
  options: CancelOptions,
): Promise<SessionSnapshot> {
  const cancellation = await deps.transaction(async (tx) => {
    const result = await cancelInTransaction(deps, tx, sessionId, options);
    if (result.kind !== 'nothing to cancel' && !(result.kind === 'notified' && result.isRepeated)) {
      const { reason } = options;
      const target = { type: 'Session', id: sessionId };
      await recordAudit(tx, by, { action: 'session.cancel', target, ...(reason && { detail: { reason } }) });
    }
    return result;
  });
  if (cancellation.kind === 'ended' && !(await isReplay(deps.db, sessionId)))
    deps.observer.metrics.sessionEnded(cancellation.session);
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
  { only, reason }: CancelOptions,
): Promise<Cancellation> {
  const session = await lockSession(tx, sessionId);
  if (!session) return { kind: 'nothing to cancel' };
  if (only === 'ANSWER' && !isTerminalStatus(session.status))
    throw new ForbiddenError(
      'The scope CHAT permits stopping answers only, not investigations.',
      'RESPONDER',
    );
  if (reason !== null && !isTerminalStatus(session.status))
    await tx.query('update alert_sessions set cancel_reason = coalesce(cancel_reason, $2) where id = $1', [
      sessionId,
      reason,
    ]);
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
  if (only === 'INVESTIGATION' && isTerminalStatus(session.status)) return { kind: 'nothing to cancel' };
  const cancelledId = isTerminalStatus(session.status)
    ? await cancelAfterEnd(deps, tx, sessionId, only === 'ANSWER')
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
