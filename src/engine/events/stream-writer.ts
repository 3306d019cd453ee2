import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { CHECKPOINT_MS, CHUNK_MAX_UNITS, NOTIFY_MAX_BYTES } from '../tunables.ts';
import type { Announcer } from './announcer.ts';
import { type ChunkNotice, encodeChunk } from './bus.ts';
import { CHANNELS, type Fence } from './log.ts';

/** Publishes the text of one streaming timeline event while it grows. */
export interface StreamWriter {
  /**
   * Takes the next piece; it is announced at once, or with what comes while those before it are. Resolves at once unless
   * announcing lags behind the model.
   */
  append(delta: string): Promise<void>;
  /** Stops timers and waits for what is on its way; returns the whole text, which the caller then stores. */
  finish(): Promise<string>;
}

/**
 * Pieces are announced in order, and never stored one by one; the row's content is saved now and then, so that whoever
 * joins late finds the text so far in the database and the rest on the wire.
 */
export function createStreamWriter(deps: {
  db: Queryable;
  announcer: Pick<Announcer, 'announce'>;
  fence: Fence;
  timelineEventId: string;
  onError: (error: unknown) => void;
}): StreamWriter {
  const { db, announcer, fence, timelineEventId } = deps;
  let text = ''; // well-formed: no NUL, no lone surrogate, so what is stored is what was sent
  let held = ''; // a high surrogate that waits for its other half
  let published = 0;
  let saved = 0;
  let savedAt = Date.now();
  let finished = false;
  let checkpointTimer: NodeJS.Timeout | undefined;
  let publishing: Promise<void> | null = null;
  let saving: Promise<void> = Promise.resolve();

  function take(delta: string): void {
    const whole = (held + delta).replaceAll('\0', '');
    held = endsInHighSurrogate(whole) ? whole.slice(-1) : '';
    text += whole.slice(0, whole.length - held.length).toWellFormed();
  }

  type Piece = Pick<ChunkNotice, 'offset' | 'delta'>;
  const encode = (piece: Piece) =>
    encodeChunk({ sessionId: fence.sessionId, timelineEventId, saved, ...piece });
  const tell = (piece: Piece) => announcer.announce([{ channel: CHANNELS.chunk, payload: encode(piece) }]);

  async function publish(): Promise<void> {
    while (published < text.length) {
      const offset = published;
      const delta = fittingPiece(text, offset, (piece) => encode({ offset, delta: piece }));
      published += delta.length;
      await tell({ offset, delta });
    }
    publishing = null;
    if (saved < text.length && !finished) checkpointTimer ??= setTimeout(saveLater, untilCheckpoint());
  }

  const untilCheckpoint = () => Math.max(0, CHECKPOINT_MS - (Date.now() - savedAt));

  function saveLater(): void {
    checkpointTimer = undefined;
    saving = saving.then(checkpoint).catch(deps.onError);
  }

  async function checkpoint(): Promise<void> {
    const content = text;
    const { rows } = await db.query(
      prepared(`update timeline_events t set content = $3, updated_at = now() from alert_sessions s
         where t.id = $4 and t.status = 'STREAMING' and s.id = $1 and s.attempt = $2 returning t.id`),
      [fence.sessionId, fence.attempt, content, timelineEventId],
    );
    savedAt = Date.now();
    if (rows.length === 0) return; // not this run's any more
    saved = content.length;
    if (!finished) await tell({ offset: published, delta: '' });
  }

  return {
    async append(delta) {
      take(delta);
      publishing ??= publish();
      if (text.length - published > CHUNK_MAX_UNITS) await publishing;
    },
    async finish() {
      if (held !== '') text += held.toWellFormed(); // its other half never came
      held = '';
      finished = true;
      clearTimeout(checkpointTimer);
      publishing ??= publish();
      await Promise.all([publishing, saving]);
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
