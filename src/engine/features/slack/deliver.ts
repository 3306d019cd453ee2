import type { Logger } from 'pino';
import type { SlackPostRow } from '../../../db/entities/index.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { SlackClient } from './client.ts';
import { isThreadGone, SlackCallError } from './failure.ts';
import { findPosted, findThread } from './find-thread.ts';
import type { SlackMessage } from './message.ts';
import { changePost, readStartThread } from './posts.ts';

interface DeliverDeps {
  db: Queryable;
  client: SlackClient;
  logger: Logger;
}

/**
 * Posts a claimed message once, into the thread of the alert's message or else into the channel. First looks for the message if an
 * earlier attempt may have posted it. @returns its `ts`, or `null` if another attempt took over @throws SlackCallError
 */
export async function deliver(
  deps: DeliverDeps,
  post: SlackPostRow,
  message: SlackMessage,
  fingerprint: string | null,
): Promise<string | null> {
  const threadTs = fingerprint === null ? null : await threadFor(deps, post, fingerprint);
  const { sessionId, point, sendingAt } = post;
  if (sendingAt) {
    const found = await findPosted(deps.client, { sessionId, point, threadTs, sendingAt });
    if (found !== null) return found;
  }
  if (!(await changePost(deps.db, post, { threadTs, sending: true }))) return null;
  try {
    return await postToThread(deps, post, message, threadTs);
  } catch (error) {
    if (error instanceof SlackCallError && !error.failure.mayHaveSucceeded) {
      await changePost(deps.db, post, { sending: false });
    }
    throw error;
  }
}

async function postToThread(
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

/** Returns the thread to post into; `null` if there is none or the token may not search. Temporary failures are thrown. */
async function threadFor(
  { db, client, logger }: DeliverDeps,
  post: SlackPostRow,
  fingerprint: string,
): Promise<string | null> {
  const known = post.threadTs ?? (await readStartThread(db, post.sessionId));
  if (known !== null) return known;
  try {
    return await findThread(client, fingerprint, new Date());
  } catch (error) {
    if (!(error instanceof SlackCallError) || error.failure.isTemporary) throw error;
    logger.warn({ code: error.failure.code }, 'thread search failed, posting into the channel');
    return null;
  }
}
