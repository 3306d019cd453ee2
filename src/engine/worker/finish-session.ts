import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { Observer } from '../api/observer.ts';
import { isReplay } from '../features/cases/store.ts';
import { type NotifySlack, withSlackPost } from '../features/slack/posts.ts';
import type { Fence, RowChange } from '../store/event-statement.ts';
import { finishSession, type SessionOutcome } from '../store/sessions.ts';

export interface EndSessionDeps {
  db: Queryable;
  transaction: Transaction;
  /** Gives free slots to waiting sessions, in the given transaction. */
  dispatch: (tx: Queryable) => Promise<void>;
  offerSlot: () => Promise<void>;
  notifySlack: NotifySlack | null;
  observer: Observer;
}

/** The results of a session that ends without an analysis. */
export const NO_RESULTS = { finalAnalysis: null, executiveSummary: null, executiveSummaryError: null };
export const CANCELLED = { ...NO_RESULTS, status: 'CANCELLED', errorMessage: 'Cancelled.' } as const;

/** Queues jobs, in the given transaction. */
export interface JobQueues {
  enqueueAnswer: (tx: Queryable, stageId: string) => Promise<void>;
  enqueueScore: (tx: Queryable, scoreId: string) => Promise<void>;
  /** Queues the extraction of memories from a session. */
  enqueueLearning: (tx: Queryable, sessionId: string) => Promise<void>;
}

/** Ends a session and its open work, offers its slot, and notifies Slack and metrics, except of replays. Idempotent. */
export async function endSession(
  deps: EndSessionDeps,
  fence: Fence,
  outcome: SessionOutcome,
  changes: readonly RowChange[] = [],
): Promise<void> {
  const ended = await withSlackPost(deps, 'TERMINAL', (db) => finishSession(db, fence, outcome, changes));
  if (ended && !(await isReplay(deps.db, ended.id))) deps.observer.metrics.sessionEnded(ended);
  // Uses its own transaction, because concurrent ends would wait for each other. Recovery offers lost slots.
  await deps.offerSlot();
}
