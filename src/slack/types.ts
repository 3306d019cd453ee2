import type { Logger } from 'pino';
import type { Viewer } from '../access/viewer.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import type { Engine } from '../engine/api/engine.ts';
import type { SlackClient } from '../engine/features/slack/client.ts';
import type { SlackMessage } from '../engine/features/slack/message.ts';
import type { Intake } from '../intake/index.ts';
import type { SlackViewers } from './viewer.ts';

export interface SlackActionDeps {
  db: Queryable;
  transaction: Transaction;
  engine: Pick<Engine, 'sendChatMessage' | 'reviewSessions' | 'decideApproval'>;
  intake: Pick<Intake, 'submit'>;
  viewers: SlackViewers;
  openClient: () => SlackClient;
  dashboardUrl: string;
  /** Masks secrets in a text; may throw. */
  mask: (text: string) => string;
  /** Requests the message about the start of a session that a user asked for, in a thread or in the channel. */
  requestStart: (
    tx: Queryable,
    sessionId: string,
    origin: { threadTs: string | null; user: string },
  ) => Promise<void>;
  /** Adds the job of a request again. */
  enqueue: (db: Queryable, requestId: string) => Promise<void>;
  logger: Logger;
}

/** A request with the viewer who sent it. */
export interface Asked<Content> {
  requestId: string;
  content: Content;
  viewer: Viewer;
}

/** Message that only the user sees. */
export type Reply = Pick<SlackMessage, 'text'> & { blocks?: SlackMessage['blocks'] };

export interface Outcome {
  /** `null` if a message in the channel says enough. */
  reply: Reply | null;
  /** Thread into which the answer to a question is posted; `null` if nothing was asked. */
  answerIn: string | null;
}

export const replied = (text: string): Outcome => ({ reply: { text }, answerIn: null });
