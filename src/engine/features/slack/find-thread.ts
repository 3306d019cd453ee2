import type { SlackPoint } from '../../../db/enums.ts';
import type { SlackClient } from './client.ts';
import { SlackCallError } from './failure.ts';
import { type FoundMessage, isMessageOf, isOwnMessage } from './message.ts';

/** Age of the oldest message that the search for an alert's message reads (ms). */
const THREAD_WINDOW_MS = 24 * 3_600_000;

/** Maximum pages of 200 messages that one search reads. */
const MAX_PAGES = 5;

/** Maximum difference between the clocks of Slack and the database (ms). */
const CLOCK_SKEW_MS = 5 * 60_000;

/** Failure of a search in a channel with more messages than one search reads. */
const SEARCH_TOO_LONG = {
  code: 'search_too_long',
  isTemporary: false,
  mayHaveSucceeded: true,
  retryAfterMs: 0,
};

/** Returns the thread of the newest message that contains the fingerprint; `null` if there is none. */
export async function findThread(
  client: SlackClient,
  fingerprint: string,
  now: Date,
): Promise<string | null> {
  const since = new Date(now.getTime() - THREAD_WINDOW_MS);
  const { message } = await findFirst(client.history(since), (found) => hasFingerprint(found, fingerprint));
  return message?.thread_ts ?? message?.ts ?? null;
}

/** Returns the `ts` of an earlier attempt's message; `null` if none was posted. @throws SlackCallError also if the search is too long */
export async function findPosted(
  client: SlackClient,
  post: { sessionId: string; point: SlackPoint; threadTs: string | null; sendingAt: Date },
): Promise<string | null> {
  const since = new Date(post.sendingAt.getTime() - CLOCK_SKEW_MS);
  const sources = [client.history(since)];
  if (post.threadTs !== null) sources.unshift(client.replies(post.threadTs, since));
  for (const pages of sources) {
    const { message, isComplete } = await findFirst(pages, (found) =>
      isMessageOf(found, post.sessionId, post.point),
    );
    if (message?.ts) return message.ts;
    if (!isComplete) throw new SlackCallError(SEARCH_TOO_LONG);
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

/** Maximum depth of searched blocks and attachments; Slack's own have fewer levels. */
const MAX_DEPTH = 8;

/** True if a message contains the fingerprint. TARSy's own messages never match, because they may quote it. */
export function hasFingerprint(message: FoundMessage, fingerprint: string): boolean {
  const wanted = normalise(fingerprint);
  if (wanted === '' || isOwnMessage(message)) return false;
  const { text, attachments, blocks } = message;
  return textsIn([text, attachments, blocks], MAX_DEPTH).some((found) => normalise(found).includes(wanted));
}

function normalise(text: string): string {
  // Slack returns texts with these three characters as entities.
  const unescaped = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return unescaped.toLowerCase().replace(/\s+/g, ' ').trim();
}

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.values(value).flatMap((part) => textsIn(part, depth - 1));
}
