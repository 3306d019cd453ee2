import type { Logger } from 'pino';
import { mayApprove } from '../access/approvers.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Config } from '../config/types.ts';
import type { ApprovalRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import type { Masking } from '../masking/masking.ts';
import type { Runbooks } from '../runbooks/runbooks.ts';
import type { Engine } from './api/engine.ts';
import { boundArguments } from './features/approvals/argument-binding.ts';
import { createApprovalChanges, decideApproval } from './features/approvals/decide.ts';
import { deleteMemory, updateMemory } from './features/memory/store.ts';
import {
  listNotificationChannels,
  redeliverNotification,
  testNotificationChannel,
} from './features/notifications/manage.ts';
import type { Skills } from './features/skills/skills.ts';
import type { Bus } from './live/bus.ts';
import { createSessionSubscriptions } from './live/subscribe-session.ts';
import { createSessionListSubscriptions } from './live/subscribe-session-list.ts';
import type { ProviderTurnCipher } from './model/provider-turn-cipher.ts';
import { createAdmission } from './sessions/admission.ts';
import { cancelSession, cancelSessions } from './sessions/cancel.ts';
import { createCase, deleteCase, importCase } from './sessions/cases.ts';
import { chatRefusal, sendChatMessage } from './sessions/chat.ts';
import { addHint, concludeSession } from './sessions/hints.ts';
import { createSessionInserter } from './sessions/insert-batch.ts';
import { replayCase } from './sessions/replay-case.ts';
import { requestScore } from './sessions/request-score.ts';
import { reviewSessions } from './sessions/review.ts';
import { createSubmissions, type Submissions } from './sessions/submit.ts';
import { createWaitChanges, runSessionNow } from './sessions/waiting.ts';
import type { EndSessionDeps, JobQueues } from './worker/finish-session.ts';

interface EngineDeps extends EndSessionDeps, JobQueues {
  /** Pool for replays of event logs, because these read much and must not delay other statements of the engine. */
  replayDb: Queryable;
  bus: Bus;
  config: Config;
  masking: Masking;
  /** Decrypts tool arguments that only approvers may see. */
  turnCipher: Pick<ProviderTurnCipher, 'open'>;
  runbooks: Pick<Runbooks, 'list'>;
  skills: Pick<Skills, 'list'>;
  logger: Logger;
}

/**
 * Creates the engine that the API uses:
 * 1. opens the subscriptions to sessions, session lists, approvals and waits
 * 2. creates the admission limits and the batch inserter that all submissions share
 * 3. returns each operation, bound to its dependencies
 *
 * The caller first stops taking alerts, then closes the engine, which ends its subscriptions.
 */
export function createEngine(
  deps: EngineDeps,
): Engine & { submissions: Submissions; stopTakingAlerts(): void; close(): void } {
  const sessions = createSessionSubscriptions({ ...deps, metrics: deps.observer.metrics });
  const lists = createSessionListSubscriptions(deps);
  const approvals = createApprovalChanges({ db: deps.replayDb, logger: deps.logger });
  const waits = createWaitChanges({ db: deps.replayDb, logger: deps.logger });
  const { access } = deps.config;
  const decideDeps = {
    ...deps,
    mayApprove: (viewer: Viewer, call: Pick<ApprovalRow, 'server' | 'tool'>) =>
      mayApprove(viewer, call, access),
  };
  let shuttingDown = false;
  const admission = createAdmission({ db: deps.db, queue: deps.config.queue });
  const taking = { ...deps, isShuttingDown: () => shuttingDown };
  const insertSession = createSessionInserter(deps.db);
  const { submitAlert, ...submissions } = createSubmissions({ ...taking, admission, insertSession });
  return {
    submitAlert,
    submissions,
    cancelSession: (sessionId, by, options) => cancelSession(deps, sessionId, by, options),
    cancelSessions: (sessionIds, by, reason) => cancelSessions(deps, sessionIds, by, reason),
    runSessionNow: (sessionId, by) => runSessionNow(deps, sessionId, by),
    addHint: (sessionId, input, by) => addHint(deps, sessionId, input, by),
    concludeSession: (sessionId, by) => concludeSession(deps, sessionId, by),
    sendChatMessage: (sessionId, question, by) => sendChatMessage(taking, sessionId, question, by),
    reviewSessions: (sessionIds, change, by) => reviewSessions(deps, sessionIds, change, by),
    scoreSession: (sessionId, by) => requestScore(taking, sessionId, by),
    updateMemory: (id, change, by) => updateMemory(deps, id, change, by),
    deleteMemory: (id, by) => deleteMemory(deps, id, by),
    notificationChannels: () => listNotificationChannels(deps),
    redeliverNotification: (id, by) => redeliverNotification(deps, id, by),
    testNotificationChannel: async (name, by) => testNotificationChannel(deps, name, by),
    createCase: (input, by) => createCase(deps, input, by),
    importCase: (input, by) => importCase(deps, input, by),
    deleteCase: (id, by) => deleteCase(deps, id, by),
    replayCase: (input, by) => replayCase({ ...taking, admission }, input, by),
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
    subscribeSystemState: waits.subscribe,
    stopTakingAlerts() {
      shuttingDown = true;
    },
    close() {
      sessions.close();
      lists.close();
      approvals.close();
      waits.close();
    },
  };
}
