import type { Logger } from 'pino';
import type { Config } from '../config/types.ts';
import type { Queryable } from '../db/queryable.ts';
import type { Masking } from '../masking/masking.ts';
import type { Runbooks } from '../runbooks/runbooks.ts';
import type { Engine } from './engine.ts';
import type { Bus } from './events/bus.ts';
import { createSessionSubscriptions } from './events/subscribe.ts';
import { createSessionListSubscriptions } from './events/subscribe-sessions.ts';
import type { Observer } from './observer.ts';
import { createAdmission } from './session/admission.ts';
import { cancelSession } from './session/cancel.ts';
import { chatRefusal, sendChatMessage } from './session/chat.ts';
import type { Submissions } from './session/submissions.ts';
import { afterStored, countAlert, prepareSession, submitAlert } from './session/submit.ts';
import type { Transaction } from './session/transaction.ts';
import type { NotifySlack } from './slack/posts.ts';

export interface EngineDeps {
  db: Queryable;
  /** For replays of logs, which read much; nothing else waits for them. */
  replayDb: Queryable;
  transaction: Transaction;
  bus: Bus;
  config: Config;
  masking: Masking;
  runbooks: Pick<Runbooks, 'list'>;
  /** Gives free slots to waiting sessions; runs within the transaction it is handed. */
  dispatch: (db: Queryable) => Promise<void>;
  /** Gives a session that was just stored a slot if one is free. */
  offerSlot: () => Promise<void>;
  notifySlack: NotifySlack;
  /** Queues the answer to a question; runs within the transaction it is handed. */
  enqueueAnswer: (tx: Queryable, stageId: string) => Promise<void>;
  observer: Observer;
  logger: Logger;
}

/** The engine as the API sees it. */
export function createEngine(
  deps: EngineDeps,
): Engine & { submissions: Submissions; stopTakingAlerts(): void; close(): void } {
  const sessions = createSessionSubscriptions({ ...deps, metrics: deps.observer.metrics });
  const lists = createSessionListSubscriptions(deps);
  let shuttingDown = false;
  const admission = createAdmission({ db: deps.db, queue: deps.config.queue });
  const submitDeps = { ...deps, admission, isShuttingDown: () => shuttingDown };
  return {
    async submitAlert(input, by) {
      const session = await submitAlert(submitDeps, input, by);
      deps.observer.metrics.sessionSubmitted(session);
      return session;
    },
    submissions: {
      count: (author) => countAlert(submitDeps, author),
      prepare: async (input, author) => (await prepareSession(submitDeps, input, author)).session,
      stored(session) {
        deps.observer.metrics.sessionSubmitted(session);
        afterStored(submitDeps, session);
      },
    },
    cancelSession: (sessionId, by, options) => cancelSession(deps, sessionId, by, options),
    sendChatMessage: (sessionId, content, by) => sendChatMessage(submitDeps, sessionId, content, by),
    chatRefusal: (session) => chatRefusal(deps.config, session),
    listRunbooks: () => deps.runbooks.list(),
    subscribeSession: sessions.subscribeSession,
    subscribeSessions: lists.subscribeSessions,
    stopTakingAlerts() {
      shuttingDown = true;
    },
    close() {
      sessions.close();
      lists.close();
    },
  };
}
