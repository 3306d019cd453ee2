import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { Observer } from '../api/observer.ts';
import { type NotifySlack, withSlackPost } from '../features/slack/posts.ts';
import type { Fence, RowChange } from '../store/event-statement.ts';
import { finishSession, type SessionOutcome } from '../store/sessions.ts';

export interface EndSessionDeps {
  db: Queryable;
  transaction: Transaction;
  /** Gives free slots to waiting sessions, in the transaction that frees one. */
  dispatch: (db: Queryable) => Promise<void>;
  /** Gives a free slot to a waiting session. */
  offerSlot: () => Promise<void>;
  notifySlack: NotifySlack | null;
  observer: Observer;
}

/**
 * Ends a session with everything that is open in it, offers its slot, and notifies Slack and metrics. Idempotent: does nothing
 * if the fence no longer owns the session.
 * @param changes rows that are written together with the end
 */
export async function endSession(
  deps: EndSessionDeps,
  fence: Fence,
  outcome: SessionOutcome,
  changes: readonly RowChange[] = [],
): Promise<void> {
  const ended = await withSlackPost(deps, 'TERMINAL', (db) => finishSession(db, fence, outcome, changes));
  if (ended) deps.observer.metrics.sessionEnded(ended);
  // In a transaction of its own, because sessions that end at the same time would wait for each other. If the process dies
  // before, the next session that comes or ends, or the next recovery, offers the slot.
  await deps.offerSlot();
}
