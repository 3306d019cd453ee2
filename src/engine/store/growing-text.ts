import { type ChunkNotice, encodeChunk } from '../live/bus.ts';
import { CHANNELS } from '../live/event-log.ts';
import { NOTIFY_MAX_BYTES, type Publisher } from '../live/publisher.ts';

/** Streaming text in one announcement, in UTF-16 code units. */
export const CHUNK_MAX_UNITS = 4096;

/** A growing timeline text is saved this often (ms): what a crash may lose, and what a late joiner may wait. */
const CHECKPOINT_MS = 500;

/** The text of one timeline item while it grows. */
export interface GrowingText {
  /**
   * Takes the next piece; it is announced at once, or with what comes while those before it are. Resolves at once unless
   * announcing lags behind the model.
   */
  append(delta: string): Promise<void>;
  /** Announces what is left, and saves no more; returns the whole text, which the caller then stores. */
  finish(): string;
}

/**
 * Pieces are announced in order, and never stored one by one; the text so far is saved now and then, so that whoever
 * joins late finds it in the database and the rest on the wire.
 */
export function createGrowingText(deps: {
  publisher: Pick<Publisher, 'publish'>;
  sessionId: string;
  timelineEventId: string;
  save: (content: string) => Promise<unknown>;
  onError: (error: unknown) => void;
}): GrowingText {
  const { publisher, sessionId, timelineEventId } = deps;
  let text = ''; // well-formed: no NUL, no lone surrogate, so what is stored is what was sent
  let held = ''; // a high surrogate that waits for its other half
  let published = 0;
  let saved = 0;
  let savedAt = Date.now();
  let finished = false;
  let checkpointTimer: NodeJS.Timeout | undefined;
  let publishing: Promise<void> | null = null;

  function take(delta: string): void {
    const whole = (held + delta).replaceAll('\0', '');
    held = endsInHighSurrogate(whole) ? whole.slice(-1) : '';
    text += whole.slice(0, whole.length - held.length).toWellFormed();
  }

  type Piece = Pick<ChunkNotice, 'offset' | 'delta'>;
  const encode = (piece: Piece) => encodeChunk({ sessionId, timelineEventId, saved, ...piece });
  const tell = (piece: Piece) => publisher.publish([{ channel: CHANNELS.chunk, payload: encode(piece) }]);

  function tellNext(): Promise<void> {
    const offset = published;
    const delta = fittingPiece(text, offset, (piece) => encode({ offset, delta: piece }));
    published += delta.length;
    return tell({ offset, delta });
  }

  async function publish(): Promise<void> {
    while (published < text.length) await tellNext();
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
      if (!finished) await tell({ offset: published, delta: '' });
    } catch (error) {
      deps.onError(error);
    }
  }

  return {
    async append(delta) {
      take(delta);
      publishing ??= publish();
      if (text.length - published > CHUNK_MAX_UNITS) await publishing;
    },
    finish() {
      if (held !== '') text += held.toWellFormed(); // its other half never came
      held = '';
      finished = true;
      clearTimeout(checkpointTimer);
      while (published < text.length) void tellNext();
      return text;
    },
  };
}

/** The longest piece from `start` on whose notice fits into one payload, never cutting a character in two. */
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
