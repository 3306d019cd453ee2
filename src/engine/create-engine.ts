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
import type { ProviderTurnCipher } from './model/provider-turn-cipher.ts';
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
  /** For replays of event logs, which read much and must not delay other queries. */
  replayDb: Queryable;
  transaction: Transaction;
  bus: Bus;
  config: Config;
  masking: Masking;
  /** Decrypts tool arguments that only approvers may see. */
  turnCipher: Pick<ProviderTurnCipher, 'open'>;
  runbooks: Pick<Runbooks, 'list'>;
  skills: Pick<Skills, 'list'>;
  /** Gives free slots to waiting sessions, in the given transaction. */
  dispatch: (db: Queryable) => Promise<void>;
  /** Gives a free slot to a waiting session. */
  offerSlot: () => Promise<void>;
  notifySlack: NotifySlack | null;
  /** Queues the extraction of memories from a session, in the given transaction. */
  enqueueLearning: (tx: Queryable, sessionId: string) => Promise<void>;
  /** Queues the answer to a question, in the given transaction. */
  enqueueAnswer: (tx: Queryable, stageId: string) => Promise<void>;
  /** Queues a score, in the given transaction. */
  enqueueScore: (tx: Queryable, scoreId: string) => Promise<void>;
  observer: Observer;
  logger: Logger;
}

/**
 * Creates the engine that the API uses:
 * 1. opens the subscriptions to sessions, session lists and approvals, which share the bus
 * 2. creates the admission limits and the batch inserter that all submissions share
 * 3. returns each operation, bound to its dependencies
 * The caller first stops taking alerts, then closes the engine, which ends its subscriptions.
 */
export function createEngine(
  deps: EngineDeps,
): Engine & { submissions: Submissions; stopTakingAlerts(): void; close(): void } {
  const sessions = createSessionSubscriptions({ ...deps, metrics: deps.observer.metrics });
  const lists = createSessionListSubscriptions(deps);
  const approvals = createApprovalChanges({ db: deps.replayDb, logger: deps.logger });
  const { access } = deps.config;
  const decideDeps = {
    ...deps,
    mayApprove: (viewer: Viewer, call: Pick<ApprovalRow, 'server' | 'tool'>) =>
      mayApprove(viewer, call, access),
  };
  let shuttingDown = false;
  const admission = createAdmission({ db: deps.db, queue: deps.config.queue });
  const submitDeps = { ...deps, admission, isShuttingDown: () => shuttingDown };
  const insertSession = createSessionInserter(deps.db);
  return {
    async submitAlert(input, by) {
      const session = await submitAlert({ ...submitDeps, insertSession }, input, by);
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
    decideApproval: (id, choice, by) => decideApproval(decideDeps, id, choice, by),
    mayApprove: (call, viewer) => mayApprove(viewer, call, access),
    approvalArguments: (call, viewer) =>
      mayApprove(viewer, call, access)
        ? (boundArguments(call, deps.turnCipher.open) ?? call.arguments)
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
