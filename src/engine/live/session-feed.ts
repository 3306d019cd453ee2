import type { Logger } from 'pino';
import { createFailureLog } from '../../common/periodic.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { LiveListener, LoggedEvent, SessionStreamItem } from '../api/engine.ts';
import type { EngineMetrics } from '../api/observer.ts';
import type { ChunkNotice } from './bus.ts';
import { END_OF_LOG, REPLAY_PAGE, readLogEnd, readLogPage, readTimelineText } from './event-log.ts';
import { createStreamingTexts } from './streaming-texts.ts';

/** Delay (ms) before a feed repeats a failed read of the log. */
export const FEED_RETRY_MS = 500;

/** A position in the live part: everything after `edge` and after these texts follows it. */
export interface FeedMark {
  edge: number;
  streaming: { timelineEventId: string; text: string }[];
  place: number;
}

/** The live events of one session in this process, shared by all its subscribers. */
export interface SessionFeed {
  listen(listener: LiveListener<SessionStreamItem>): () => void;
  /** Returns the current position. Reads the log first if it is behind `afterSeq`, which a subscriber has already seen. */
  mark(afterSeq?: number): Promise<FeedMark>;
  /** Reports that the log has an event with this number. */
  noticeEvent(seq: number): void;
  noticeChunk(chunk: ChunkNotice): void;
  /** Reports that notices may have been missed. */
  resync(): void;
  close(): void;
}

/**
 * Turns notices into gapless events and chunks. All steps run in sequence, so a chunk never precedes the event that
 * opened its text. A text is known as its gapless beginning; a chunk beyond it waits until the database has
 * the part between.
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
  let edge: number | null = null; // sequence number of the last sent event; null before the first position
  let place = 0;
  let work: Promise<unknown> = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  function enqueue<T>(step: () => Promise<T> | T): Promise<T> {
    const result = work.then(step);
    work = result.catch(() => {});
    return result;
  }

  /** Runs a step in the background. If it fails (database down), the feed catches up later. */
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
      if (!more) return; // later events have their own notices
    }
  }

  function handleEvent(event: LoggedEvent): void {
    edge = event.seq;
    metrics?.eventRead(Date.now() - event.at.getTime());
    if (event.type === 'TimelineEventCompleted') texts.close(event.row.id, event.row.content);
    texts.flush(); // text known before the event is sent before it
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
    texts.lay(timelineEventId, offset, delta); // a later save fills a remaining gap
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
