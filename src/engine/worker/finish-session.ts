import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { Observer } from '../api/observer.ts';
import { type NotifySlack, withSlackPost } from '../features/slack/posts.ts';
import type { Change, Fence } from '../store/event-statement.ts';
import { finishSession, type SessionOutcome } from '../store/sessions.ts';

export interface EndSessionDeps {
  db: Queryable;
  transaction: Transaction;
  dispatch: (db: Queryable) => Promise<void>;
  offerSlot: () => Promise<void>;
  notifySlack: NotifySlack | null;
  observer: Observer;
}

/**
 * Ends a session: what of it is open ends with it, its slot is given on, and who wants to know is told. Bears to be done
 * twice: nothing happens where the session is not this run's any more.
 * @param more written with the end
 */
export async function endSession(
  deps: EndSessionDeps,
  fence: Fence,
  outcome: SessionOutcome,
  more: readonly Change[] = [],
): Promise<void> {
  const ended = await withSlackPost(deps, 'TERMINAL', (db) => finishSession(db, fence, outcome, more));
  if (ended) deps.observer.metrics.sessionEnded(ended);
  // Not in one transaction: all that end at once would wait for one another. A slot that is lost between the two is found
  // with the next session that comes or ends, and by the next look for lost work.
  await deps.offerSlot();
}
