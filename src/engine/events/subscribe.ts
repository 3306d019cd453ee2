import type { Logger } from 'pino';
import type { SessionStreamItem } from '../engine.ts';
import { ValidationError } from '../errors.ts';
import { SUBSCRIBER_MAX_ITEMS, SUBSCRIBER_MAX_UNITS } from '../tunables.ts';
import type { Bus, ChunkNotice, EventNotice } from './bus.ts';
import { createFeed, type Feed } from './feed.ts';
import type { Queryable } from './log.ts';
import { createPushQueue } from './push-queue.ts';
import { readLog } from './read-log.ts';

export interface SessionSubscriptions {
  subscribeSession(
    sessionId: string,
    afterSeq: number,
    signal: AbortSignal,
  ): AsyncIterable<SessionStreamItem>;
  /** Feeds in use, for tests and metrics. */
  readonly feeds: number;
  close(): void;
}

/** Replay, then live, from one shared feed per session. */
export function createSessionSubscriptions(deps: {
  db: Queryable;
  bus: Bus;
  logger: Logger;
}): SessionSubscriptions {
  const { db, bus, logger } = deps;
  const feeds = new Map<string, { feed: Feed; users: number }>();
  const onEvent = ({ sessionId, seq }: EventNotice) => feeds.get(sessionId)?.feed.noticeEvent(seq);
  const onChunk = (chunk: ChunkNotice) => feeds.get(chunk.sessionId)?.feed.noticeChunk(chunk);
  const onReconnected = () => {
    for (const { feed } of feeds.values()) feed.resync();
  };
  bus.on('event', onEvent);
  bus.on('chunk', onChunk);
  bus.on('reconnected', onReconnected);

  function acquireFeed(sessionId: string): Feed {
    const entry = feeds.get(sessionId) ?? { feed: createFeed({ db, sessionId, logger }), users: 0 };
    entry.users += 1;
    feeds.set(sessionId, entry);
    return entry.feed;
  }

  function releaseFeed(sessionId: string): void {
    const entry = feeds.get(sessionId);
    if (entry && --entry.users === 0) feeds.delete(sessionId);
  }

  async function* subscribeSession(sessionId: string, afterSeq: number, signal: AbortSignal) {
    const queue = createPushQueue<SessionStreamItem>({
      items: SUBSCRIBER_MAX_ITEMS,
      size: SUBSCRIBER_MAX_UNITS,
      sizeOf: sizeOfItem,
    });
    const onAbort = () => queue.end();
    signal.addEventListener('abort', onAbort, { once: true });
    const feed = acquireFeed(sessionId);
    try {
      const { edge, streaming } = await feed.join(queue.push);
      if (afterSeq > edge) throw cursorBeyondEnd();
      for await (const event of readLog(db, sessionId, afterSeq, edge)) {
        if (signal.aborted) return;
        yield event;
      }
      yield { kind: 'caughtUp', sessionId, seq: edge, at: new Date() } as const;
      for (const { timelineEventId, text } of streaming) {
        if (text === '') continue;
        yield { kind: 'chunk', sessionId, timelineEventId, offset: 0, delta: text, at: new Date() } as const;
      }
      yield* queue;
    } finally {
      signal.removeEventListener('abort', onAbort);
      feed.leave(queue.push);
      releaseFeed(sessionId);
    }
  }

  return {
    subscribeSession,
    get feeds() {
      return feeds.size;
    },
    close() {
      bus.off('event', onEvent);
      bus.off('chunk', onChunk);
      bus.off('reconnected', onReconnected);
    },
  };
}

function cursorBeyondEnd(): ValidationError {
  return new ValidationError(
    'The cursor is beyond the end of this session: it belongs to another one.',
    'after',
  );
}

/** Text that an item keeps in memory while it waits; the rest of an item is small. */
function sizeOfItem(item: SessionStreamItem): number {
  if (item.kind === 'chunk') return item.delta.length;
  if (item.kind === 'event' && 'content' in item.row) return item.row.content.length;
  return 0;
}
