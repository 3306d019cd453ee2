import type { Logger } from 'pino';
import type { SlackPostRow } from '../../../db/entities/index.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { SlackClient } from './client.ts';
import { failure, isThreadGone, SlackCallError } from './failure.ts';
import { type FoundMessage, isOwnMessage, textsIn } from './message.ts';
import { changePost, readThread } from './posts.ts';

interface DeliverDeps {
  db: Queryable;
  client: SlackClient;
  logger: Logger;
}

export interface Delivery {
  /** Text that identifies the alert's message; `null` if there is none. */
  fingerprint: string | null;
  /** True if a message in Slack is the one of this post. */
  isPosted: (found: FoundMessage) => boolean;
  /** Posts the message and returns its `ts`; `null` if the message is no longer needed. */
  send: ((threadTs: string | null) => Promise<string>) | null;
}

export type Delivered =
  | { status: 'POSTED'; ts: string }
  /** No longer needed, and not posted by an earlier attempt. */
  | { status: 'SKIPPED' }
  /** Another attempt took over. */
  | { status: 'SUPERSEDED' };

/**
 * Posts a claimed message once, into the thread of the alert's message or into the channel. Searches first if an
 * earlier attempt may have posted it, even if it is no longer needed, because what is posted gets its end.
 * @throws SlackCallError
 */
export async function deliver(
  deps: DeliverDeps,
  post: SlackPostRow,
  { fingerprint, isPosted, send }: Delivery,
): Promise<Delivered> {
  const { sendingAt } = post;
  if (send === null && !sendingAt) return { status: 'SKIPPED' };
  const threadTs = await threadFor(deps, post, fingerprint);
  if (sendingAt) {
    const ts = await findPosted(deps.client, { isPosted, threadTs, sendingAt });
    if (ts !== null) return { status: 'POSTED', ts };
  }
  if (send === null) return { status: 'SKIPPED' };
  if (!(await changePost(deps.db, post, { threadTs, sending: true }))) return { status: 'SUPERSEDED' };
  try {
    return { status: 'POSTED', ts: await postToThread(deps.db, post, { send, threadTs }) };
  } catch (error) {
    if (error instanceof SlackCallError && !error.failure.mayHaveSucceeded) {
      await changePost(deps.db, post, { sending: false });
    }
    throw error;
  }
}

async function postToThread(
  db: Queryable,
  post: SlackPostRow,
  { send, threadTs }: { send: NonNullable<Delivery['send']>; threadTs: string | null },
): Promise<string> {
  try {
    return await send(threadTs);
  } catch (error) {
    if (threadTs === null || !(error instanceof SlackCallError) || !isThreadGone(error.failure)) throw error;
    await changePost(db, post, { threadTs: null });
    return send(null);
  }
}

/** Returns the thread to post into; `null` if there is none or the search failed for good. Throws temporary errors. */
async function threadFor(
  { db, client, logger }: DeliverDeps,
  post: SlackPostRow,
  fingerprint: string | null,
): Promise<string | null> {
  const known = post.threadTs ?? (await readThread(db, post, fingerprint !== null));
  if (known !== null || fingerprint === null) return known;
  try {
    return await findThread(client, fingerprint);
  } catch (error) {
    if (!(error instanceof SlackCallError) || error.failure.isTemporary) throw error;
    logger.warn({ code: error.failure.code }, 'thread search failed, posting into the channel');
    return null;
  }
}

/** Maximum age (ms) of the channel's messages among which the alert's message is searched. */
const THREAD_WINDOW_MS = 24 * 3_600_000;

/** Maximum pages of 200 messages that a search reads in a channel or in a thread. */
const MAX_PAGES = 5;

/** Maximum difference between the clocks of Slack and the database (ms). */
const CLOCK_SKEW_MS = 5 * 60_000;

/** Returns the thread of the newest message that contains the fingerprint; `null` if there is none. */
async function findThread(client: SlackClient, fingerprint: string): Promise<string | null> {
  const since = new Date(Date.now() - THREAD_WINDOW_MS);
  const { message } = await findFirst(client.history(since), (found) => hasFingerprint(found, fingerprint));
  return message?.thread_ts ?? message?.ts ?? null;
}

/** Returns the `ts` of an earlier attempt's message; `null` if none. @throws SlackCallError also after MAX_PAGES */
async function findPosted(
  client: SlackClient,
  {
    isPosted,
    threadTs,
    sendingAt,
  }: Pick<Delivery, 'isPosted'> & { threadTs: string | null; sendingAt: Date },
): Promise<string | null> {
  const since = new Date(sendingAt.getTime() - CLOCK_SKEW_MS);
  const sources = [client.history(since)];
  if (threadTs !== null) sources.unshift(client.replies(threadTs, since));
  for (const pages of sources) {
    const { message, isComplete } = await findFirst(pages, isPosted);
    if (message?.ts) return message.ts;
    if (!isComplete) throw new SlackCallError(failure('search_too_long', { isTemporary: false }));
  }
  return null;
}

async function findFirst(
  pages: AsyncGenerator<FoundMessage[]>,
  accepts: (message: FoundMessage) => boolean,
): Promise<{ message: FoundMessage | null; isComplete: boolean }> {
  let count = 0;
  for await (const page of pages) {
    const message = page.find(accepts);
    if (message) return { message, isComplete: true };
    count += 1;
    if (count === MAX_PAGES) return { message: null, isComplete: page.length === 0 };
  }
  return { message: null, isComplete: true };
}

/** True if a message contains the fingerprint. TARSy's own messages never match, because they may quote it. */
export function hasFingerprint(message: FoundMessage, fingerprint: string): boolean {
  const wanted = normalise(fingerprint);
  if (wanted === '' || isOwnMessage(message)) return false;
  const { text, attachments, blocks } = message;
  return textsIn([text, attachments, blocks]).some((found) => normalise(found).includes(wanted));
}

function normalise(text: string): string {
  // Slack returns texts with these three characters as entities.
  const unescaped = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return unescaped.toLowerCase().replace(/\s+/g, ' ').trim();
}
