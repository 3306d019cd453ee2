import type { Logger } from 'pino';
import { createFailureLog } from '../../common/periodic.ts';
import type { TimelineEventRow } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { LiveListener, LoggedEvent, SessionStreamItem } from '../api/engine.ts';
import type { EngineMetrics } from '../api/observer.ts';
import { END_OF_LOG, REPLAY_PAGE, readLogEnd, readLogPage, readTimelineText } from './event-log.ts';
import type { ChunkNotice } from './notices.ts';
import { createStreamingTexts } from './streaming-texts.ts';

/** Wait after a failed read of the log, before a feed reads it again (ms). */
export const FEED_RETRY_MS = 500;

/** The live events of one session in this process, shared by all its subscribers. */
export interface SessionFeed {
  listen(listener: LiveListener<SessionStreamItem>): () => void;
  /**
   * Returns what this feed has published so far, at least up to event `afterSeq`: the last event's number,
   * the texts that still grow, and the position of the last item. Later items continue from there.
   */
  mark(afterSeq?: number): Promise<{
    lastSeq: number;
    streaming: { timelineEventId: string; text: string }[];
    position: number;
  }>;
  /** Reports that the log has an event with this sequence number. */
  noticeEvent(seq: number): void;
  noticeChunk(chunk: ChunkNotice): void;
  /** Reads the log and the texts again, because notices may have been missed. */
  resync(): void;
  close(): void;
}

/**
 * Creates a feed, which turns notices into events and chunks without gaps. Handles one notice after the
 * other, so that no chunk precedes the event that opened its text. Drops a chunk that does not continue the
 * known text; the text that is saved next contains the dropped chunk.
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
  const failureLog = createFailureLog('follow session', logger.child({ sessionId }));
  let lastSeq: number | null = null; // of the last published event; null before the first mark
  let position = 0;
  let work: Promise<unknown> = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  function enqueue<T>(step: () => Promise<T> | T): Promise<T> {
    const result = work.then(step);
    work = result.catch(() => {});
    return result;
  }

  /** Enqueues a step without waiting for it. If it fails, the feed reads the log again later. */
  function detached(step: () => Promise<void> | void): void {
    enqueue(async () => !closed && step()).catch((error: unknown) => {
      failureLog.failed(error);
      clearTimeout(retry);
      if (!closed) retry = setTimeout(resync, FEED_RETRY_MS);
    });
  }

  function emit(item: SessionStreamItem): void {
    if (closed) return;
    position += 1;
    for (const listener of listeners) listener(item, position);
  }

  async function start(): Promise<void> {
    const { seq, streaming } = await readLogEnd(db, sessionId);
    lastSeq = seq;
    for (const event of streaming) openText(event);
  }

  function openText({ id, type, content }: Pick<TimelineEventRow, 'id' | 'type' | 'content'>): void {
    if (type !== 'LLM_TOOL_CALL') texts.open(id, content);
  }

  async function readLog(): Promise<void> {
    while (lastSeq !== null) {
      const range = { afterSeq: lastSeq, throughSeq: END_OF_LOG, rows: REPLAY_PAGE };
      const { events, more } = await readLogPage(db, sessionId, range);
      for (const event of events) handleEvent(event);
      if (!more) return; // a later event has a notice of its own
    }
  }

  function handleEvent(event: LoggedEvent): void {
    lastSeq = event.seq;
    metrics?.eventRead(Date.now() - event.at.getTime());
    if (event.type === 'TimelineEventCompleted') texts.close(event.row.id, event.row.content);
    texts.flush(); // texts known before the event must precede it
    emit(event);
    if (event.type === 'TimelineEventCreated' && event.row.status === 'STREAMING') openText(event.row);
  }

  async function handleChunk({ timelineEventId, offset, delta, saved }: ChunkNotice): Promise<void> {
    if (texts.addPiece(timelineEventId, offset, delta)) return;
    if (saved > (texts.knownLength(timelineEventId) ?? saved)) await readStoredText(timelineEventId);
    texts.addPiece(timelineEventId, offset, delta); // if a gap remains, a later save fills it
  }

  async function readStoredText(timelineEventId: string): Promise<void> {
    const content = await readTimelineText(db, sessionId, timelineEventId);
    if (content !== null) texts.setStored(timelineEventId, content);
  }

  function resync(): void {
    detached(async () => {
      await readLog();
      for (const timelineEventId of texts.growing()) await readStoredText(timelineEventId);
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
        if (lastSeq === null) await start();
        if (lastSeq !== null && lastSeq < afterSeq) await readLog(); // the event's notice has not arrived
        return { lastSeq: lastSeq ?? 0, streaming: texts.published(), position };
      }),
    noticeEvent: (seq) =>
      detached(async () => {
        if (lastSeq !== null && seq > lastSeq) await readLog();
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
