import type { AlertSessionRow } from '../../db/entities/index.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import { ConflictError, NotFoundError } from '../errors.ts';
import type { Queryable } from '../events/log.ts';
import type { Observer } from '../observer.ts';
import type { NotifySlack } from '../slack/posts.ts';
import { requestChatCancel } from './chat-store.ts';
import {
  cancelRunning,
  cancelWaiting,
  finishSession,
  notifyCancel,
  readSession,
  seizeSession,
} from './lifecycle.ts';
import { closeEverythingOpen } from './progress.ts';
import type { Transaction } from './transaction.ts';

export interface CancelDeps {
  db: Queryable;
  transaction: Transaction;
  dispatch: (db: Queryable) => Promise<void>;
  notifySlack: NotifySlack;
  observer: Observer;
}

/**
 * Cancels a session: in place while it waits, by telling its worker while it runs. Asking twice is no error.
 * @throws NotFoundError, ConflictError when it has ended
 */
export async function cancelSession(deps: CancelDeps, sessionId: string): Promise<AlertSessionRow> {
  const { db, transaction, dispatch, notifySlack } = deps;
  const inPlace = await transaction(async (tx) => {
    const cancelled = await cancelWaiting(tx, sessionId);
    if (cancelled) {
      await notifySlack(tx, sessionId, 'TERMINAL');
      await dispatch(tx); // it may have held a slot
    }
    return cancelled;
  });
  if (inPlace) deps.observer.metrics.sessionEnded(inPlace);
  const changed =
    inPlace !== null ||
    (await cancelHandedBack(deps, sessionId)) ||
    (await tellWorker(db, sessionId)) ||
    (await cancelAnswer(db, sessionId));
  const session = await readSession(db, sessionId);
  if (!session) throw new NotFoundError(`There is no session ${sessionId}.`);
  if (!changed && isTerminalStatus(session.status)) {
    throw new ConflictError(`The session has already ended (${session.status}).`);
  }
  return session;
}

/** Stops the answer to a question; one that waits for a worker ends as soon as it gets one. */
async function cancelAnswer(db: Queryable, sessionId: string): Promise<boolean> {
  if (!(await requestChatCancel(db, sessionId))) return false;
  await notifyCancel(db, sessionId);
  return true;
}

async function tellWorker(db: Queryable, sessionId: string): Promise<boolean> {
  if (!(await cancelRunning(db, sessionId))) return false;
  await notifyCancel(db, sessionId);
  return true;
}

/** A session that ran and waits to go on has open stages: they end with it. */
async function cancelHandedBack(
  { db, transaction, dispatch, notifySlack, observer }: CancelDeps,
  sessionId: string,
): Promise<boolean> {
  const fence = await seizeSession(db, sessionId, 'WAITING_AGAIN');
  if (!fence) return false;
  const outcome = { status: 'CANCELLED', errorMessage: 'Cancelled.' } as const;
  await closeEverythingOpen(db, fence, outcome);
  const ended = await transaction(async (tx) => {
    const end = { ...outcome, finalAnalysis: null, executiveSummary: null, executiveSummaryError: null };
    const finished = await finishSession(tx, fence, end);
    if (finished) await notifySlack(tx, sessionId, 'TERMINAL');
    await dispatch(tx);
    return finished;
  });
  if (ended) observer.metrics.sessionEnded(ended);
  return true;
}
