import type { Logger } from 'pino';
import { ValidationError } from '../../common/errors.ts';
import { runPeriodically } from '../../common/periodic.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionStreamItem, SharedStream } from '../api/engine.ts';
import type { EngineMetrics } from '../api/observer.ts';
import type { Bus } from './bus.ts';
import { POLL_MS, readLog } from './event-log.ts';
import type { ChunkNotice, EventNotice } from './notices.ts';
import { createSessionFeed, type SessionFeed } from './session-feed.ts';
import { FEED_PIECE_MS } from './streaming-texts.ts';

/** Polls until a notice counts as missed. Several, because a busy publisher may be seconds late. */
const LATE_POLLS = 5;

/** A session that subscribers of this process follow. */
interface FollowedSession {
  feed: SessionFeed;
  users: number;
  /** The largest number of an event that had a notice or needs none any more; `null` before the first one. */
  noticed: number | null;
  /** An event without a notice, and the number of polls since then; `null` if there is none. */
  due: { seq: number; polls: number } | null;
}

export interface SessionSubscriptions {
  subscribeSession(sessionId: string, afterSeq: number): SharedStream<SessionStreamItem>;
  readonly feeds: number;
  close(): void;
}

/** Creates the subscriptions to sessions. A subscriber gets a replay, then live items of a feed shared per session. */
export function createSessionSubscriptions(deps: {
  db: Queryable;
  replayDb: Queryable;
  bus: Bus;
  /** Default: FEED_PIECE_MS. */
  coalesceMs?: number;
  /** Default: POLL_MS. */
  pollMs?: number;
  metrics?: Pick<EngineMetrics, 'eventRead'>;
  logger: Logger;
}): SessionSubscriptions {
  const { db, replayDb, bus, metrics, logger, coalesceMs = FEED_PIECE_MS, pollMs = POLL_MS } = deps;
  const feeds = new Map<string, FollowedSession>();
  const onEvent = ({ sessionId, seq }: EventNotice) => {
    const followed = feeds.get(sessionId);
    if (followed === undefined) return;
    followed.noticed = Math.max(followed.noticed ?? 0, seq);
    followed.feed.noticeEvent(seq);
  };
  const onChunk = (chunk: ChunkNotice) => feeds.get(chunk.sessionId)?.feed.noticeChunk(chunk);
  const onReconnected = () => {
    for (const { feed } of feeds.values()) feed.resync();
  };
  bus.on('event', onEvent);
  bus.on('chunk', onChunk);
  bus.on('reconnected', onReconnected);
  const task = 'poll events without a notice';
  const polling = runPeriodically(poll, { task, everyMs: pollMs, logger });

  /**
   * Compares the last event number of each session with its feed. Finds events whose announcement was lost, for example
   * because the writer died after its commit.
   */
  async function poll(): Promise<void> {
    if (feeds.size === 0) return;
    const { rows } = await db.query<{ id: string; seq: number }>(
      prepared('select id, last_event_seq as seq from alert_sessions where id = any($1::uuid[])'),
      [[...feeds.keys()]],
    );
    for (const { id, seq } of rows) {
      const followed = feeds.get(id);
      if (followed === undefined) continue;
      if (isMissed(followed, seq)) bus.missed();
      followed.feed.noticeEvent(seq);
    }
  }

  function acquireFeed(sessionId: string): SessionFeed {
    const entry = feeds.get(sessionId) ?? {
      feed: createSessionFeed({ db, sessionId, coalesceMs, metrics, logger }),
      users: 0,
      noticed: null,
      due: null,
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
      const { lastSeq, streaming, position } = await feed.mark(afterSeq);
      if (afterSeq > lastSeq) throw new ValidationError(CURSOR_BEYOND_END, 'after');
      for await (const event of readLog(replayDb, sessionId, afterSeq, lastSeq)) {
        if (signal.aborted) return position;
        yield event;
      }
      yield { kind: 'caughtUp', sessionId, seq: lastSeq, at: new Date() } as const;
      for (const { timelineEventId, text } of streaming) {
        if (text === '') continue;
        yield { kind: 'chunk', sessionId, timelineEventId, offset: 0, delta: text, at: new Date() } as const;
      }
      return position;
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
      void polling.stop();
      bus.off('event', onEvent);
      bus.off('chunk', onChunk);
      bus.off('reconnected', onReconnected);
      for (const { feed } of feeds.values()) feed.close();
      feeds.clear();
    },
  };
}

/** Returns true if an event has had no notice for LATE_POLLS polls. @param seq the last event that the poll found */
function isMissed(followed: FollowedSession, seq: number): boolean {
  followed.noticed ??= seq; // events before the first poll may have had their notices before the feed began
  const { noticed, due } = followed;
  if (due === null || due.seq <= noticed) {
    followed.due = seq > noticed ? { seq, polls: 0 } : null;
    return false;
  }
  due.polls += 1;
  if (due.polls < LATE_POLLS) return false;
  followed.noticed = due.seq;
  followed.due = null;
  return true;
}

const CURSOR_BEYOND_END = 'The cursor is beyond the end of this session: it belongs to another one.';
