import { CHANNELS } from '../live/event-log.ts';
import { type ChunkNotice, encodeChunk } from '../live/notices.ts';
import { NOTIFY_MAX_BYTES, type Publisher } from '../live/publisher.ts';
import { PIECE_MS } from '../live/streaming-texts.ts';

/** Maximum length of the text in one notice (UTF-16 code units). */
export const CHUNK_MAX_UNITS = 4096;

/** Interval of saving a growing text (ms): the most that a crash loses, and the longest wait of a new subscriber. */
const CHECKPOINT_MS = 500;

/**
 * Longest time between two publications while pieces wait (ms). Two steps, because a steady model then sends the next piece
 * before: it takes the waiting ones along without a timer.
 */
const LATEST_MS = 2 * PIECE_MS;

/** The text of a timeline event while a model streams it. */
export interface GrowingText {
  /**
   * Appends a piece and publishes it, at once if the last publication is PIECE_MS ago. Otherwise the piece waits for the
   * next one, at most LATEST_MS. The caller waits only if publishing lags behind the model.
   */
  append(delta: string): Promise<void>;
  /** Publishes the rest and stops saving. Returns the whole text, which the caller must store. */
  finish(): string;
}

/**
 * Creates a growing text. Publishes pieces in order, without storing each. Saves the text every CHECKPOINT_MS, so that
 * a new subscriber reads its beginning from the database and receives the rest as notices.
 */
export function createGrowingText(deps: {
  publisher: Pick<Publisher, 'publish'>;
  sessionId: string;
  timelineEventId: string;
  save: (content: string) => Promise<unknown>;
  onError: (error: unknown) => void;
}): GrowingText {
  const { publisher, sessionId, timelineEventId } = deps;
  let text = ''; // well-formed and without NUL, so that stored and published text are equal
  let highSurrogate = ''; // first half of a surrogate pair, until its second half arrives
  let published = 0;
  let publishedAt = Number.NEGATIVE_INFINITY;
  let saved = 0;
  let savedAt = Date.now();
  let finished = false;
  let checkpointTimer: NodeJS.Timeout | undefined;
  let publishing: Promise<void> | null = null;
  let endPause = () => {};

  function add(delta: string): void {
    const whole = (highSurrogate + delta).replaceAll('\0', '');
    highSurrogate = endsInHighSurrogate(whole) ? whole.slice(-1) : '';
    text += whole.slice(0, whole.length - highSurrogate.length).toWellFormed();
  }

  type Piece = Pick<ChunkNotice, 'offset' | 'delta'>;
  const encode = (piece: Piece) => encodeChunk({ sessionId, timelineEventId, saved, ...piece });
  const publishPiece = (piece: Piece) =>
    publisher.publish([{ channel: CHANNELS.chunk, payload: encode(piece) }]);

  function publishNext(): Promise<void> {
    const offset = published;
    const delta = fittingPiece(text, offset, (piece) => encode({ offset, delta: piece }));
    published += delta.length;
    publishedAt = performance.now();
    return publishPiece({ offset, delta });
  }

  const isEarly = () => performance.now() - publishedAt < PIECE_MS;

  async function pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    endPause = resolve;
    const timer = setTimeout(resolve, publishedAt + LATEST_MS - performance.now());
    await promise;
    clearTimeout(timer);
  }

  async function publishAll(): Promise<void> {
    if (isEarly()) await pause();
    while (published < text.length) await publishNext();
    publishing = null;
    if (saved < text.length && !finished) checkpointTimer ??= setTimeout(checkpoint, untilCheckpoint());
  }

  const untilCheckpoint = () => Math.max(0, CHECKPOINT_MS - (Date.now() - savedAt));

  async function checkpoint(): Promise<void> {
    checkpointTimer = undefined;
    const content = text;
    savedAt = Date.now();
    try {
      await deps.save(content);
      saved = content.length;
      if (!finished) await publishPiece({ offset: published, delta: '' });
    } catch (error) {
      deps.onError(error);
    }
  }

  return {
    async append(delta) {
      add(delta);
      if (publishing === null) publishing = publishAll();
      else if (!isEarly()) endPause();
      if (text.length - published > CHUNK_MAX_UNITS) await publishing;
    },
    finish() {
      if (highSurrogate !== '') text += highSurrogate.toWellFormed(); // the second half never came
      highSurrogate = '';
      finished = true;
      clearTimeout(checkpointTimer);
      while (published < text.length) void publishNext();
      return text;
    },
  };
}

/** Returns the longest piece from `start` whose notice fits into one payload, without splitting a surrogate pair. */
function fittingPiece(text: string, start: number, encode: (delta: string) => string): string {
  let end = Math.min(text.length, start + CHUNK_MAX_UNITS);
  for (;;) {
    if (end < text.length && endsInHighSurrogate(text.slice(start, end))) end -= 1;
    const piece = text.slice(start, end);
    if (Buffer.byteLength(encode(piece)) <= NOTIFY_MAX_BYTES) return piece;
    end = start + Math.floor((end - start) / 2);
  }
}

function endsInHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
