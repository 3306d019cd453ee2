import type { Logger } from 'pino';
import { ValidationError } from '../../common/errors.ts';
import { runPeriodically } from '../../common/periodic.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionStreamItem, SharedStream } from '../api/engine.ts';
import type { EngineMetrics } from '../api/observer.ts';
import type { Bus, ChunkNotice, EventNotice } from './bus.ts';
import { POLL_MS, readLog } from './event-log.ts';
import { createSessionFeed, type SessionFeed } from './session-feed.ts';

/**
 * Usual time (ms) between two chunks of a text. Cost grows with the number of messages, and a reader cannot tell
 * twenty updates a second from two hundred.
 */
const FEED_COALESCE_MS = 45;

export interface SessionSubscriptions {
  subscribeSession(sessionId: string, afterSeq: number): SharedStream<SessionStreamItem>;
  /** Feeds in use, for tests and metrics. */
  readonly feeds: number;
  close(): void;
}

/** Subscriptions that replay, then continue live, from one shared feed per session. */
export function createSessionSubscriptions(deps: {
  db: Queryable;
  /** Database for replays. */
  replayDb: Queryable;
  bus: Bus;
  /** See FEED_COALESCE_MS, the default. */
  coalesceMs?: number;
  /** See LOOK_MS, the default. */
  lookMs?: number;
  metrics?: Pick<EngineMetrics, 'eventRead'>;
  logger: Logger;
}): SessionSubscriptions {
  const { db, replayDb, bus, metrics, logger, coalesceMs = FEED_COALESCE_MS, lookMs = POLL_MS } = deps;
  const feeds = new Map<string, { feed: SessionFeed; users: number }>();
  const onEvent = ({ sessionId, seq }: EventNotice) => feeds.get(sessionId)?.feed.noticeEvent(seq);
  const onChunk = (chunk: ChunkNotice) => feeds.get(chunk.sessionId)?.feed.noticeChunk(chunk);
  const onReconnected = () => {
    for (const { feed } of feeds.values()) feed.resync();
  };
  bus.on('event', onEvent);
  bus.on('chunk', onChunk);
  bus.on('reconnected', onReconnected);
  const looking = runPeriodically(look, {
    task: 'Looking for what nobody announced',
    everyMs: lookMs,
    logger,
  });

  /** Polls, because a process may die between its commit and its announcement. */
  async function look(): Promise<void> {
    if (feeds.size === 0) return;
    const { rows } = await db.query<{ id: string; seq: number }>(
      prepared('select id, last_event_seq as seq from alert_sessions where id = any($1::uuid[])'),
      [[...feeds.keys()]],
    );
    for (const { id, seq } of rows) feeds.get(id)?.feed.noticeEvent(seq);
  }

  function acquireFeed(sessionId: string): SessionFeed {
    const entry = feeds.get(sessionId) ?? {
      feed: createSessionFeed({ db, sessionId, coalesceMs, metrics, logger }),
      users: 0,
    };
    entry.users += 1;
    feeds.set(sessionId, entry);
    return entry.feed;
  }

  function releaseFeed(sessionId: string): void {
    const entry = feeds.get(sessionId);
    if (!entry || --entry.users > 0) return;
    entry.feed.close();
    feeds.delete(sessionId);
  }

  async function* replay(sessionId: string, afterSeq: number, signal: AbortSignal) {
    const feed = acquireFeed(sessionId);
    try {
      const { edge, streaming, place } = await feed.mark(afterSeq);
      if (afterSeq > edge) throw cursorBeyondEnd();
      for await (const event of readLog(replayDb, sessionId, afterSeq, edge)) {
        if (signal.aborted) return place;
        yield event;
      }
      yield { kind: 'caughtUp', sessionId, seq: edge, at: new Date() } as const;
      for (const { timelineEventId, text } of streaming) {
        if (text === '') continue;
        yield { kind: 'chunk', sessionId, timelineEventId, offset: 0, delta: text, at: new Date() } as const;
      }
      return place;
    } finally {
      releaseFeed(sessionId);
    }
  }

  return {
    subscribeSession: (sessionId, afterSeq) => ({
      topic: `session ${sessionId}`,
      listen(listener) {
        const unlisten = acquireFeed(sessionId).listen(listener);
        return () => {
          unlisten();
          releaseFeed(sessionId);
        };
      },
      replay: (signal) => replay(sessionId, afterSeq, signal),
    }),
    get feeds() {
      return feeds.size;
    },
    close() {
      void looking.stop();
      bus.off('event', onEvent);
      bus.off('chunk', onChunk);
      bus.off('reconnected', onReconnected);
      for (const { feed } of feeds.values()) feed.close();
      feeds.clear();
    },
  };
}

function cursorBeyondEnd(): ValidationError {
  return new ValidationError(
    'The cursor is beyond the end of this session: it belongs to another one.',
    'after',
  );
}
