import { CHECKPOINT_MS, CHUNK_COALESCE_MS, CHUNK_COALESCE_UNITS, NOTIFY_MAX_BYTES } from '../tunables.ts';
import { encodeChunk } from './bus.ts';
import { CHANNELS, type Fence, type Queryable } from './log.ts';
import { prepared } from './prepared.ts';

/** Publishes the text of one streaming timeline event while it grows. */
export interface StreamWriter {
  /** Takes the next piece. Resolves at once unless publishing lags behind the model. */
  append(delta: string): Promise<void>;
  /** Stops timers and waits for what is on its way; returns the whole text, which the caller then stores. */
  finish(): Promise<string>;
}

/**
 * Pieces are coalesced, published by NOTIFY in order, and never stored one by one; the row's content is saved
 * now and then, so that whoever joins late finds the text so far in the database and the rest on the wire.
 */
export function createStreamWriter(deps: {
  db: Queryable;
  fence: Fence;
  timelineEventId: string;
  onError: (error: unknown) => void;
}): StreamWriter {
  const { db, fence, timelineEventId } = deps;
  let text = ''; // well-formed: no NUL, no lone surrogate, so what is stored is what was sent
  let held = ''; // a high surrogate that waits for its other half
  let published = 0;
  let flushedAt = Number.NEGATIVE_INFINITY; // the first piece goes at once
  let saved = 0;
  let savedAt = Date.now();
  let finished = false;
  let timer: NodeJS.Timeout | undefined;
  let checkpointTimer: NodeJS.Timeout | undefined;
  let publishing: Promise<void> = Promise.resolve();

  function take(delta: string): void {
    const whole = (held + delta).replaceAll('\0', '');
    held = endsInHighSurrogate(whole) ? whole.slice(-1) : '';
    text += whole.slice(0, whole.length - held.length).toWellFormed();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    flushedAt = performance.now();
    publishing = publishing.then(publish).catch(deps.onError);
    return publishing;
  }

  async function publish(): Promise<void> {
    while (published < text.length) {
      const base = { sessionId: fence.sessionId, timelineEventId, offset: published, saved };
      const payload = fittingPayload(text, published, (delta) => encodeChunk({ ...base, delta }));
      published = payload.end;
      await db.query(prepared(`select pg_notify('${CHANNELS.chunk}', $1)`), [payload.text]);
    }
    if (saved < text.length && !finished) checkpointTimer ??= setTimeout(saveLater, untilCheckpoint());
  }

  const untilCheckpoint = () => Math.max(0, CHECKPOINT_MS - (Date.now() - savedAt));

  function saveLater(): void {
    checkpointTimer = undefined;
    publishing = publishing.then(checkpoint).catch(deps.onError);
  }

  async function checkpoint(): Promise<void> {
    const content = text;
    const notice = { sessionId: fence.sessionId, timelineEventId, offset: content.length, delta: '' };
    await db.query(
      prepared(`with saved as (
         update timeline_events t set content = $3, updated_at = now() from alert_sessions s
         where t.id = $4 and t.status = 'STREAMING' and s.id = $1 and s.attempt = $2 returning t.id
       ) select pg_notify('${CHANNELS.chunk}', $5) from saved`),
      [
        fence.sessionId,
        fence.attempt,
        content,
        timelineEventId,
        encodeChunk({ ...notice, saved: content.length }),
      ],
    );
    saved = content.length;
    savedAt = Date.now();
  }

  return {
    async append(delta) {
      take(delta);
      if (text.length - published >= CHUNK_COALESCE_UNITS) return flush();
      timer ??= setTimeout(flush, Math.max(0, flushedAt + CHUNK_COALESCE_MS - performance.now()));
    },
    async finish() {
      if (held !== '') text += held.toWellFormed(); // its other half never came
      held = '';
      finished = true;
      clearTimeout(checkpointTimer);
      await flush();
      return text;
    },
  };
}

/** The longest piece from `start` on whose notice fits into one payload, never cutting a character in two. */
function fittingPayload(text: string, start: number, encode: (delta: string) => string) {
  let end = Math.min(text.length, start + CHUNK_COALESCE_UNITS);
  for (;;) {
    if (end < text.length && endsInHighSurrogate(text.slice(start, end))) end -= 1;
    const payload = encode(text.slice(start, end));
    if (Buffer.byteLength(payload) <= NOTIFY_MAX_BYTES) return { text: payload, end };
    end = start + Math.floor((end - start) / 2);
  }
}

function endsInHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
