import type { Logger } from 'pino';
import type { LoggedEvent, SessionStreamItem, StreamChunk } from '../engine.ts';
import { FEED_RETRY_MS } from '../tunables.ts';
import type { ChunkNotice } from './bus.ts';
import type { Queryable } from './log.ts';
import { END_OF_LOG, readContent, readEdge, readPage } from './read-log.ts';

/** What a subscriber needs to begin: everything after `edge`, and after these texts, comes through `push`. */
export interface FeedStart {
  edge: number;
  streaming: { timelineEventId: string; text: string }[];
}

/** The live events of one session in this process, shared by all its subscribers. */
export interface Feed {
  /** Resolves when `push` is attached, at one exact point of the stream. */
  join(push: (item: SessionStreamItem) => void): Promise<FeedStart>;
  leave(push: (item: SessionStreamItem) => void): void;
  /** The log has an event with this number. */
  noticeEvent(seq: number): void;
  noticeChunk(chunk: ChunkNotice): void;
  /** Notices may have been missed. */
  resync(): void;
}

/**
 * Turns notices into events and chunks without a gap. Everything happens one after the other, so a chunk is
 * never handed on before the event that opened it, whatever the reads take. A text is known as its gapless
 * beginning; a chunk that starts beyond it waits until the database has what lies between.
 */
export function createFeed(deps: { db: Queryable; sessionId: string; logger: Logger }): Feed {
  const { db, sessionId, logger } = deps;
  const subscribers = new Set<(item: SessionStreamItem) => void>();
  const streaming = new Map<string, string>(); // timeline event → its text so far, without gaps
  let edge: number | null = null; // number of the last event handed on; null before the first join
  let work: Promise<unknown> = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;

  function enqueue<T>(step: () => Promise<T> | T): Promise<T> {
    const result = work.then(step);
    work = result.catch(() => {});
    return result;
  }

  /** A step that nobody waits for: when it fails (the database was away), the feed catches up a little later. */
  function detached(step: () => Promise<void> | void): void {
    enqueue(step).catch((error: unknown) => {
      logger.warn({ err: error, sessionId }, 'event feed stumbled, catching up');
      clearTimeout(retry);
      retry = setTimeout(() => subscribers.size > 0 && resync(), FEED_RETRY_MS);
    });
  }

  function emit(item: SessionStreamItem): void {
    for (const push of subscribers) push(item);
  }

  async function start(): Promise<void> {
    const found = await readEdge(db, sessionId);
    edge = found.seq;
    for (const event of found.streaming)
      if (event.type !== 'LLM_TOOL_CALL') streaming.set(event.id, event.content);
  }

  async function readOn(): Promise<void> {
    while (edge !== null) {
      const page = await readPage(db, sessionId, edge, END_OF_LOG);
      for (const event of page) handleEvent(event);
      if (page.length === 0) return;
    }
  }

  function handleEvent(event: LoggedEvent): void {
    edge = event.seq;
    if (event.type === 'TimelineEventCreated' && event.row.status === 'STREAMING') {
      if (event.row.type !== 'LLM_TOOL_CALL') streaming.set(event.row.id, event.row.content);
    } else if (event.type === 'TimelineEventCompleted') {
      extend(event.row.id, event.row.content, event.at); // pieces of a text always tile it to its end
      streaming.delete(event.row.id);
    }
    emit(event);
  }

  /** The text is now `content`: hands on what is new of it. */
  function extend(timelineEventId: string, content: string, at: Date): void {
    const known = streaming.get(timelineEventId);
    if (known === undefined || content.length <= known.length || !content.startsWith(known)) return;
    advance(timelineEventId, known, content.slice(known.length), at);
  }

  function advance(timelineEventId: string, known: string, delta: string, at: Date): void {
    streaming.set(timelineEventId, known + delta);
    const chunk: StreamChunk = { kind: 'chunk', sessionId, timelineEventId, offset: known.length, delta, at };
    emit(chunk);
  }

  async function handleChunk(chunk: ChunkNotice): Promise<void> {
    let known = streaming.get(chunk.timelineEventId);
    if (known === undefined) return; // complete already, or not a text
    if (chunk.offset > known.length && chunk.saved > known.length) {
      const content = await readContent(db, chunk.timelineEventId);
      if (content !== null) extend(chunk.timelineEventId, content, new Date());
      known = streaming.get(chunk.timelineEventId) ?? known;
    }
    const overlap = known.length - chunk.offset;
    if (overlap < 0 || overlap >= chunk.delta.length) return; // still a gap, which a later save fills; or old
    advance(chunk.timelineEventId, known, chunk.delta.slice(overlap), new Date());
  }

  async function refillTexts(): Promise<void> {
    for (const timelineEventId of streaming.keys()) {
      const content = await readContent(db, timelineEventId);
      if (content !== null) extend(timelineEventId, content, new Date());
    }
  }

  function resync(): void {
    detached(async () => {
      await readOn();
      await refillTexts();
    });
  }

  return {
    join: (push) =>
      enqueue(async () => {
        if (edge === null) await start();
        subscribers.add(push);
        const texts = [...streaming].map(([timelineEventId, text]) => ({ timelineEventId, text }));
        return { edge: edge ?? 0, streaming: texts };
      }),
    leave: (push) => void subscribers.delete(push),
    noticeEvent: (seq) =>
      detached(async () => {
        if (edge !== null && seq > edge) await readOn();
      }),
    noticeChunk: (chunk) => detached(() => handleChunk(chunk)),
    resync,
  };
}
