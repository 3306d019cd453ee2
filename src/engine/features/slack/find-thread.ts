import type { SlackPoint } from '../../../db/enums.ts';
import type { SlackClient } from './client.ts';
import { SlackCallError } from './failure.ts';
import { hasFingerprint } from './find-thread.merge1.ts';
import { type FoundMessage, isMessageOf } from './message.ts';

/** How far back the message of an alert is looked for (ms). */
const THREAD_WINDOW_MS = 24 * 3_600_000;

/** Pages of 200 messages that one search reads at most. */
const MAX_PAGES = 5;

/** Clocks of Slack and of the database may differ by this much (ms). */
const CLOCK_SKEW_MS = 5 * 60_000;

/** The channel is too busy to say whether a message is in it. */
const TOO_LONG = { code: 'search_too_long', isTemporary: false, mayBeDone: true, retryAfterMs: 0 };

/** The thread of the newest message that holds the fingerprint; null when there is none. */
export async function findThread(
  client: SlackClient,
  fingerprint: string,
  now: Date,
): Promise<string | null> {
  const since = new Date(now.getTime() - THREAD_WINDOW_MS);
  const { message } = await firstOf(client.history(since), (found) => hasFingerprint(found, fingerprint));
  return message?.thread_ts ?? message?.ts ?? null;
}

/**
 * A message that an earlier attempt may have posted, in the channel or in the thread; null = it is not there.
 * @throws SlackCallError, also when there is more to read than can be read
 */
export async function findPosted(
  client: SlackClient,
  post: { sessionId: string; point: SlackPoint; threadTs: string | null; sendingAt: Date },
): Promise<string | null> {
  const since = new Date(post.sendingAt.getTime() - CLOCK_SKEW_MS);
  const isIt = (found: FoundMessage) => isMessageOf(found, post.sessionId, post.point);
  const places = [client.history(since)];
  if (post.threadTs !== null) places.unshift(client.replies(post.threadTs, since));
  for (const place of places) {
    const { message, isComplete } = await firstOf(place, isIt);
    if (message?.ts) return message.ts;
    if (!isComplete) throw new SlackCallError(TOO_LONG);
  }
  return null;
}

async function firstOf(
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
