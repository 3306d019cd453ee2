import type { Logger } from 'pino';
import type { SlackPostRow } from '../../../db/entities/index.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { SlackClient } from './client.ts';
import { isThreadGone, SlackCallError } from './failure.ts';
import { findPosted, findThread } from './find-thread.ts';
import type { SlackMessage } from './message.ts';
import { changePost, threadOfStart } from './posts.ts';

interface DeliverDeps {
  db: Queryable;
  client: SlackClient;
  logger: Logger;
}

/**
 * Posts a claimed message once: into the thread of the alert's message, when its fingerprint finds one, else into the
 * channel.
 * @returns the message's `ts`, of an earlier attempt when that had posted; null when another attempt took over
 * @throws SlackCallError
 */
export async function deliver(
  deps: DeliverDeps,
  post: SlackPostRow,
  message: SlackMessage,
  fingerprint: string | null,
): Promise<string | null> {
  const threadTs = fingerprint === null ? null : await threadOf(deps, post, fingerprint);
  const { sessionId, point, sendingAt } = post;
  if (sendingAt) {
    const found = await findPosted(deps.client, { sessionId, point, threadTs, sendingAt });
    if (found !== null) return found;
  }
  if (!(await changePost(deps.db, post, { threadTs, sending: true }))) return null;
  try {
    return await postInto(deps, post, message, threadTs);
  } catch (error) {
    if (error instanceof SlackCallError && !error.failure.mayBeDone)
      await changePost(deps.db, post, { sending: false });
    throw error;
  }
}

async function postInto(
  { db, client }: DeliverDeps,
  post: SlackPostRow,
  message: SlackMessage,
  threadTs: string | null,
): Promise<string> {
  try {
    return await client.post(message, threadTs);
  } catch (error) {
    if (threadTs === null || !(error instanceof SlackCallError) || !isThreadGone(error.failure)) throw error;
    await changePost(db, post, { threadTs: null });
    return client.post(message, null);
  }
}

/** A search that is not permitted leaves the message outside the thread; one that may go better later is tried again. */
async function threadOf(
  { db, client, logger }: DeliverDeps,
  post: SlackPostRow,
  fingerprint: string,
): Promise<string | null> {
  const known = post.threadTs ?? (await threadOfStart(db, post.sessionId));
  if (known !== null) return known;
  try {
    return await findThread(client, fingerprint, new Date());
  } catch (error) {
    if (!(error instanceof SlackCallError) || error.failure.isTemporary) throw error;
    logger.warn({ code: error.failure.code }, 'the thread of an alert could not be looked for');
    return null;
  }
}
