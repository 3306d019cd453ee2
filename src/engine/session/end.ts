import type { Queryable } from '../../db/queryable.ts';
import type { Fence } from '../events/log.ts';
import type { Observer } from '../observer.ts';
import type { NotifySlack } from '../slack/posts.ts';
import { finishSession, type SessionOutcome } from './lifecycle.ts';
import { closeEverythingOpen } from './progress.ts';
import type { Transaction } from './transaction.ts';

export interface EndDeps {
  db: Queryable;
  transaction: Transaction;
  dispatch: (db: Queryable) => Promise<void>;
  notifySlack: NotifySlack;
  observer: Observer;
}

/**
 * Ends a session: what of it is open ends with it, its slot is given on, and who wants to know is told. Bears to be done
 * twice: nothing happens where the session is not this run's any more.
 * @throws LeaseLostError
 */
export async function endSession(deps: EndDeps, fence: Fence, outcome: SessionOutcome): Promise<void> {
  const { status, errorMessage } = outcome;
  if (status !== 'COMPLETED') await closeEverythingOpen(deps.db, fence, { status, errorMessage });
  const ended = await deps.transaction(async (tx) => {
    const finished = await finishSession(tx, fence, outcome);
    if (finished) await deps.notifySlack(tx, fence.sessionId, 'TERMINAL');
    await deps.dispatch(tx);
    return finished;
  });
  if (ended) deps.observer.metrics.sessionEnded(ended);
}
