import type { SlackPoint } from '../../../db/enums.ts';
import type { SlackClient } from './client.ts';
import { SlackCallError } from './failure.ts';
import { type FoundMessage, isMessageOf, isOwnMessage } from './message.ts';

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

/** Depth of the blocks and attachments that are looked through; Slack's own have fewer levels. */
const MAX_DEPTH = 8;

/**
 * Whether the alert that a session is about came with this message: the fingerprint occurs in its text, attachments or
 * blocks, whatever the case and the white space. Our own messages may quote it and do not count.
 */
export function hasFingerprint(message: FoundMessage, fingerprint: string): boolean {
  const wanted = normalise(fingerprint);
  if (wanted === '' || isOwnMessage(message)) return false;
  const { text, attachments, blocks } = message;
  return texts([text, attachments, blocks], MAX_DEPTH).some((found) => normalise(found).includes(wanted));
}

function normalise(text: string): string {
  return unescaped(text).toLowerCase().replace(/\s+/g, ' ').trim();
}

/** Slack gives back what it was given as entities. */
function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function texts(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.values(value).flatMap((part) => texts(part, depth - 1));
}
