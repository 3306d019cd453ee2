import type { Queryable } from '../../db/queryable.ts';
import { finishSession, type SessionOutcome } from '../journal/sessions.ts';
import type { Fence } from '../journal/step.ts';
import type { Observer } from '../observer.ts';
import type { NotifySlack } from '../slack/posts.ts';
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
 */
export async function endSession(deps: EndDeps, fence: Fence, outcome: SessionOutcome): Promise<void> {
  const ended = await deps.transaction(async (tx) => {
    const finished = await finishSession(tx, fence, outcome);
    if (finished) await deps.notifySlack(tx, fence.sessionId, 'TERMINAL');
    await deps.dispatch(tx);
    return finished;
  });
  if (ended) deps.observer.metrics.sessionEnded(ended);
}
