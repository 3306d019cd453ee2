import { setTimeout as delay } from 'node:timers/promises';
import { apiClient } from '../helpers/api.ts';
import { applyItem, FOLLOW_DOCUMENT, type Followed, follow, type Item } from '../helpers/follower.ts';
import { readEvents } from '../helpers/sse.ts';

/** Pause (ms) before a follower that lost its connection reconnects. */
const AGAIN_MS = 50;

export interface Following {
  sessionId: string;
  /** Returns the address of an API process, which may have exited meanwhile. */
  url: () => string;
  isEnd: (status: string) => boolean;
  /** Returns true if the follower drops its connection after this item. */
  cut: () => boolean;
}

/** Follows a session over successive connections, each from the last cursor, until the session has ended. */
export async function followThrough(
  known: Followed,
  over: 'websocket' | 'sse',
  following: Following,
): Promise<void> {
  while (!known.ended) {
    try {
      if (over === 'sse') await followOverSse(known, following);
      else await follow(apiClient(following.url()), following.sessionId, known, following);
    } catch (error) {
      // A stream that contradicts itself is an error, while a lost connection is expected.
      if (error instanceof Error && /begun$/.test(error.message)) throw error;
      await delay(AGAIN_MS);
    }
  }
}

async function followOverSse(known: Followed, { sessionId, url, isEnd, cut }: Following): Promise<void> {
  known.connections += 1;
  for (const text of known.texts.values()) if (!text.final) text.watchedFromStart = false;
  const abort = new AbortController();
  const last = known.cursors.at(-1);
  try {
    const response = await fetch(`${url()}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        ...(last && { 'last-event-id': last }),
      },
      body: JSON.stringify({ query: FOLLOW_DOCUMENT, variables: { id: sessionId } }),
      signal: abort.signal,
    });
    for await (const { event, data } of readEvents(response)) {
      if (event !== 'next') return;
      const result = JSON.parse(data) as { data?: { sessionEvents: Item }; errors?: unknown };
      if (!result.data) throw new Error(data);
      applyItem(known, result.data.sessionEvents);
      const { session } = result.data.sessionEvents;
      if (session && isEnd(session.status)) known.ended = true;
      if (known.ended || cut()) return;
    }
  } finally {
    abort.abort();
  }
}
