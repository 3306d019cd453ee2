import type { Logger } from 'pino';
import type { Queryable } from '../../../db/queryable.ts';
import type { SlackClient } from './client.ts';
import { SlackCallError } from './failure.ts';
import type { SlackMessage } from './message.ts';

/**
 * Calls of each kind in one round of 3 s. In a minute, Slack accepts about 50 edits, 100 additions to streams and 20
 * ends of streams, in the whole workspace.
 */
export const MAX_CALLS = { update: 2, append: 4, stop: 1 } as const;

export type Call = keyof typeof MAX_CALLS;

/** A change of a posted message that shows an older state. */
export interface Edit {
  sessionId: string;
  call: Call;
  /** Changes the message and stores what it shows. @throws SlackCallError after a temporary failure */
  apply: () => Promise<void>;
}

/** A posted message that is edited. */
export interface Shown {
  sessionId: string;
  point: string;
  ts: string;
  /** State that the message has to show. */
  state: string;
}

export interface EditDeps {
  db: Queryable;
  openClient: () => SlackClient;
  logger: Logger;
}

/** Returns the edit that replaces a message. After a final failure, the message stays as it is. */
export function editOf(
  { db, openClient, logger }: EditDeps,
  { sessionId, point, ts, state }: Shown,
  compose: () => Promise<SlackMessage | null>,
): Edit {
  return {
    sessionId,
    call: 'update',
    async apply() {
      try {
        const message = await compose();
        if (message) await openClient().update(ts, message);
      } catch (error) {
        if (!(error instanceof SlackCallError) || error.failure.isTemporary) throw error;
        logger.warn({ code: error.failure.code, sessionId }, 'slack message not edited');
      }
      await storeShown(db, { sessionId, point, state });
    },
  };
}

async function storeShown(db: Queryable, { sessionId, point, state }: Omit<Shown, 'ts'>): Promise<void> {
  await db.query('update slack_posts set shown = $3 where session_id = $1 and point = $2', [
    sessionId,
    point,
    state,
  ]);
}
