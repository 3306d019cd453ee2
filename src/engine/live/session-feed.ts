import type { Logger } from 'pino';
import { createFailureLog } from '../../common/periodic.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { LiveListener, LoggedEvent, SessionStreamItem } from '../api/engine.ts';
import type { EngineMetrics } from '../api/observer.ts';
import type { ChunkNotice } from './bus.ts';
import { END_OF_LOG, REPLAY_PAGE, readLogEnd, readLogPage, readTimelineText } from './event-log.ts';
import { createStreamingTexts } from './streaming-texts.ts';

/** Milliseconds until a feed that could not read the log tries again. */
export const FEED_RETRY_MS = 500;

/** One exact point of the live part: everything after `edge`, and after these texts, follows `place`. */
export interface FeedMark {
  edge: number;
  streaming: { timelineEventId: string; text: string }[];
  place: number;
}

/** The live events of one session in this process, shared by all its subscribers. */
export interface SessionFeed {
  listen(listener: LiveListener<SessionStreamItem>): () => void;
  /** Where the live part stands now; it reads on first when it stands before `afterSeq`, which somebody has seen in the log. */
  mark(afterSeq?: number): Promise<FeedMark>;
  /** The log has an event with this number. */
  noticeEvent(seq: number): void;
  noticeChunk(chunk: ChunkNotice): void;
  /** Notices may have been missed. */
  resync(): void;
  close(): void;
}

/**
 * Turns notices into events and chunks without a gap. Everything happens one after the other, so a chunk is
 * never handed on before the event that opened it, whatever the reads take. A text is known as its gapless
 * beginning; a chunk that starts beyond it waits until the database has what lies between.
 */
export function createSessionFeed(deps: {
  db: Queryable;
  sessionId: string;
  coalesceMs: number;
  metrics?: Pick<EngineMetrics, 'eventRead'> | undefined;
  logger: Logger;
}): SessionFeed {
  const { db, sessionId, coalesceMs, metrics, logger } = deps;
  const listeners = new Set<LiveListener<SessionStreamItem>>();
  const texts = createStreamingTexts({
    coalesceMs,
    emit: (timelineEventId, offset, delta) =>
      emit({ kind: 'chunk', sessionId, timelineEventId, offset, delta, at: new Date() }),
  });
  const failureLog = createFailureLog('Following a session', logger.child({ sessionId }));
  let edge: number | null = null; // number of the last event handed on; null before the first mark
  let place = 0;
  let work: Promise<unknown> = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  function enqueue<T>(step: () => Promise<T> | T): Promise<T> {
    const result = work.then(step);
    work = result.catch(() => {});
    return result;
  }

  /** A step that nobody waits for: when it fails (the database was away), the feed catches up a little later. */
  function detached(step: () => Promise<void> | void): void {
    enqueue(async () => !closed && step()).catch((error: unknown) => {
      failureLog.failed(error);
      clearTimeout(retry);
      if (!closed) retry = setTimeout(resync, FEED_RETRY_MS);
    });
  }

  function emit(item: SessionStreamItem): void {
    if (closed) return;
    place += 1;
    for (const listener of listeners) listener(item, place);
  }

  async function start(): Promise<void> {
    const found = await readLogEnd(db, sessionId);
    edge = found.seq;
    for (const event of found.streaming)
      if (event.type !== 'LLM_TOOL_CALL') texts.open(event.id, event.content);
  }

  async function readOn(): Promise<void> {
    while (edge !== null) {
      const range = { afterSeq: edge, throughSeq: END_OF_LOG, rows: REPLAY_PAGE };
      const { events, more } = await readLogPage(db, sessionId, range);
      for (const event of events) handleEvent(event);
      if (!more) return; // what comes later has notices of its own
    }
  }

  function handleEvent(event: LoggedEvent): void {
    edge = event.seq;
    metrics?.eventRead(Date.now() - event.at.getTime());
    if (event.type === 'TimelineEventCompleted') texts.close(event.row.id, event.row.content);
    texts.flush(); // what was known before the event is told before it
    emit(event);
    if (event.type === 'TimelineEventCreated' && event.row.status === 'STREAMING') {
      if (event.row.type !== 'LLM_TOOL_CALL') texts.open(event.row.id, event.row.content);
    }
  }

  async function handleChunk({ timelineEventId, offset, delta, saved }: ChunkNotice): Promise<void> {
    if (texts.lay(timelineEventId, offset, delta)) return;
    if (saved > (texts.lengthOf(timelineEventId) ?? saved)) {
      const content = await readTimelineText(db, timelineEventId);
      if (content !== null) texts.fill(timelineEventId, content);
    }
    texts.lay(timelineEventId, offset, delta); // when there still is a gap, a later save fills it
  }

  async function refillTexts(): Promise<void> {
    for (const timelineEventId of texts.growing()) {
      const content = await readTimelineText(db, timelineEventId);
      if (content !== null) texts.fill(timelineEventId, content);
    }
  }

  function resync(): void {
    detached(async () => {
      await readOn();
      await refillTexts();
      failureLog.succeeded();
    });
  }

  return {
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    mark: (afterSeq = 0) =>
      enqueue(async () => {
        if (edge === null) await start();
        if (edge !== null && edge < afterSeq) await readOn(); // its notice is on its way
        return { edge: edge ?? 0, streaming: texts.told(), place };
      }),
    noticeEvent: (seq) =>
      detached(async () => {
        if (edge !== null && seq > edge) await readOn();
      }),
    noticeChunk: (chunk) => detached(() => handleChunk(chunk)),
    resync,
    close() {
      closed = true;
      clearTimeout(retry);
      texts.dispose();
    },
  };
}
