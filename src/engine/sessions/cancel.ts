import { type Actor, recordAudit } from '../../audit.ts';
import { ConflictError, ForbiddenError, NotFoundError } from '../../common/errors.ts';
import type { AlertSessionRow } from '../../db/entities/index.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import { CancelledError } from '../common/interruptions.ts';
import { answerToGoOn, requestChatCancel } from '../store/chats.ts';
import type { Fence } from '../store/event-statement.ts';
import { requestScoreCancel } from '../store/scores.ts';
import {
  cancelRunning,
  cancelWaiting,
  lockSession,
  notifyCancel,
  readSession,
  seizeSession,
} from '../store/sessions.ts';
import { type EndSessionDeps, endSession } from '../worker/finish-session.ts';

/** What a cancel came to: it is done, its run is told, a fence to end it under, or there is nothing to cancel. */
type CancelDeps = EndSessionDeps & { enqueueAnswer: (tx: Queryable, stageId: string) => Promise<void> };

type Cancelled = { ended: SessionSnapshot } | 'TOLD' | 'TOLD_BEFORE' | Fence | null;

/**
 * Cancels a session: in place while it waits, by telling its worker while it runs. Asking twice is no error.
 * @param options.answerOnly the running answer is all that may be cancelled
 * @throws NotFoundError, ConflictError when it has ended, ForbiddenError
 */
export async function cancelSession(
  deps: CancelDeps,
  sessionId: string,
  by: Actor,
  options: { answerOnly: boolean },
): Promise<AlertSessionRow> {
  // Its row is locked first: whatever state it comes to while we ask, we see one state and change that.
  const cancelled = await deps.transaction(async (tx) => {
    const change = await cancelAsItIs(deps, tx, sessionId, options);
    if (change !== null && change !== 'TOLD_BEFORE')
      await recordAudit(tx, by, { action: 'session.cancel', target: { type: 'Session', id: sessionId } });
    return change;
  });
  if (cancelled !== null && typeof cancelled === 'object') {
    if ('ended' in cancelled) deps.observer.metrics.sessionEnded(cancelled.ended);
    else await endSession(deps, cancelled, CANCELLED);
  }
  const session = await readSession(deps.db, sessionId);
  if (!session) throw new NotFoundError(`There is no session ${sessionId}.`);
  if (cancelled === null && isTerminalStatus(session.status)) {
    throw new ConflictError(`The session has already ended (${session.status}).`);
  }
  return session;
}

const CANCELLED = {
  status: 'CANCELLED',
  errorMessage: new CancelledError().message,
  finalAnalysis: null,
  executiveSummary: null,
  executiveSummaryError: null,
} as const;

async function cancelAsItIs(
  deps: CancelDeps,
  tx: Queryable,
  sessionId: string,
  { answerOnly }: { answerOnly: boolean },
): Promise<Cancelled> {
  const session = await lockSession(tx, sessionId);
  if (!session) return null;
  if (answerOnly && !isTerminalStatus(session.status))
    throw new ForbiddenError(
      'With the scope CHAT alone an answer can be stopped, no investigation.',
      'RESPONDER',
    );
  if (session.status === 'PENDING' || session.status === 'WAITING_FOR_APPROVAL') {
    const ended = await cancelWaiting(tx, sessionId);
    if (!ended) return seizeSession(tx, sessionId, 'WAITING_AGAIN'); // it ran before, and has open stages
    await deps.notifySlack?.(tx, sessionId, 'TERMINAL');
    await deps.dispatch(tx); // it may have held a slot
    return { ended };
  }
  const told = isTerminalStatus(session.status)
    ? await cancelAfterEnd(deps, tx, sessionId, answerOnly)
    : (await cancelRunning(tx, sessionId)) && sessionId;
  if (!told) return session.status === 'CANCELLING' ? 'TOLD_BEFORE' : null;
  await notifyCancel(tx, told);
  return 'TOLD';
}

/** Of what is done about an ended session, the answer goes first. @returns whom to tell; null = nothing is done */
async function cancelAfterEnd(
  deps: CancelDeps,
  tx: Queryable,
  sessionId: string,
  answerOnly: boolean,
): Promise<string | null> {
  if (await requestChatCancel(tx, sessionId)) {
    // One that waits for people has nobody who could be told: whoever takes it next ends it.
    const waiting = await answerToGoOn(tx, sessionId);
    if (waiting !== null) await deps.enqueueAnswer(tx, waiting);
    return sessionId;
  }
  return answerOnly ? null : requestScoreCancel(tx, sessionId);
}
