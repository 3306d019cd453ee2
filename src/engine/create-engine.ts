import type { Logger } from 'pino';
import { mayApprove } from '../access/approvers.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Config } from '../config/types.ts';
import type { ApprovalRow } from '../db/entities/index.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import type { Masking } from '../masking/masking.ts';
import type { Runbooks } from '../runbooks/runbooks.ts';
import type { Engine } from './api/engine.ts';
import type { Observer } from './api/observer.ts';
import { boundArguments } from './features/approvals/argument-binding.ts';
import { createApprovalChanges, decideApproval } from './features/approvals/decide.ts';
import { deleteMemory, updateMemory } from './features/memory/store.ts';
import type { Skills } from './features/skills/skills.ts';
import type { NotifySlack } from './features/slack/posts.ts';
import type { Bus } from './live/bus.ts';
import { createSessionSubscriptions } from './live/subscribe-session.ts';
import { createSessionListSubscriptions } from './live/subscribe-session-list.ts';
import type { TurnBox } from './model/provider-turn-cipher.ts';
import { createAdmission } from './sessions/admission.ts';
import { cancelSession } from './sessions/cancel.ts';
import { chatRefusal, sendChatMessage } from './sessions/chat.ts';
import { createSessionInserter } from './sessions/insert-batch.ts';
import { requestScore } from './sessions/request-score.ts';
import { reviewSessions } from './sessions/review.ts';
import {
  countAlert,
  offerSlotToStored,
  prepareSession,
  type Submissions,
  submitAlert,
} from './sessions/submit.ts';

export interface EngineDeps {
  db: Queryable;
  /** For replays of logs, which read much; nothing else waits for them. */
  replayDb: Queryable;
  transaction: Transaction;
  bus: Bus;
  config: Config;
  masking: Masking;
  /** Opens arguments that only those see who may decide on their calls. */
  turns: Pick<TurnBox, 'open'>;
  runbooks: Pick<Runbooks, 'list'>;
  skills: Pick<Skills, 'list'>;
  /** Gives free slots to waiting sessions; runs within the transaction it is handed. */
  dispatch: (db: Queryable) => Promise<void>;
  /** Gives a slot that is free to a session that waits. */
  offerSlot: () => Promise<void>;
  notifySlack: NotifySlack | null;
  /** Has a session teach what it can; runs within the transaction it is handed. */
  enqueueLearning: (tx: Queryable, sessionId: string) => Promise<void>;
  /** Queues the answer to a question; runs within the transaction it is handed. */
  enqueueAnswer: (tx: Queryable, stageId: string) => Promise<void>;
  /** Queues the making of a score; runs within the transaction it is handed. */
  enqueueScore: (tx: Queryable, scoreId: string) => Promise<void>;
  observer: Observer;
  logger: Logger;
}

type Call = Pick<ApprovalRow, 'server' | 'tool'>;

/** The engine as the API sees it. */
export function createEngine(
  deps: EngineDeps,
): Engine & { submissions: Submissions; stopTakingAlerts(): void; close(): void } {
  const sessions = createSessionSubscriptions({ ...deps, metrics: deps.observer.metrics });
  const lists = createSessionListSubscriptions(deps);
  const approvals = createApprovalChanges({ db: deps.replayDb, logger: deps.logger });
  const { access } = deps.config;
  const deciding = { ...deps, mayApprove: (...of: [Viewer, Call]) => mayApprove(...of, access) };
  let shuttingDown = false;
  const admission = createAdmission({ db: deps.db, queue: deps.config.queue });
  const submitDeps = { ...deps, admission, isShuttingDown: () => shuttingDown };
  const store = createSessionInserter(deps.db);
  return {
    async submitAlert(input, by) {
      const session = await submitAlert({ ...submitDeps, store }, input, by);
      deps.observer.metrics.sessionSubmitted(session);
      return session;
    },
    submissions: {
      count: (author) => countAlert(submitDeps, author),
      prepare: async (input, author, headline) =>
        (await prepareSession(submitDeps, input, author, headline)).session,
      stored(session) {
        deps.observer.metrics.sessionSubmitted(session);
        offerSlotToStored(submitDeps, session);
      },
    },
    cancelSession: (sessionId, by, options) => cancelSession(deps, sessionId, by, options),
    sendChatMessage: (sessionId, content, by) => sendChatMessage(submitDeps, sessionId, content, by),
    reviewSessions: (sessionIds, change, by) => reviewSessions(deps, sessionIds, change, by),
    scoreSession: (sessionId, by) => requestScore(submitDeps, sessionId, by),
    updateMemory: (id, change, by) => updateMemory(deps, id, change, by),
    deleteMemory: (id, by) => deleteMemory(deps, id, by),
    decideApproval: (id, choice, by) => decideApproval(deciding, id, choice, by),
    mayApprove: (call, viewer) => mayApprove(viewer, call, access),
    approvalArguments: (call, viewer) =>
      mayApprove(viewer, call, access)
        ? (boundArguments(call, deps.turns.open) ?? call.arguments)
        : call.arguments,
    subscribeApprovals: approvals.subscribe,
    chatRefusal: (session) => chatRefusal(deps.config, session),
    listSkills: () => deps.skills.list(),
    listRunbooks: () => deps.runbooks.list(),
    subscribeSession: sessions.subscribeSession,
    subscribeSessions: lists.subscribeSessions,
    stopTakingAlerts() {
      shuttingDown = true;
    },
    close() {
      sessions.close();
      lists.close();
      approvals.close();
    },
  };
}
