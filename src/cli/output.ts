import { once } from 'node:events';
import type { Writable } from 'node:stream';

export type Output = ReturnType<typeof openOutput>;

/** Returns an output to a stream whose reader may be slow or may close the stream. */
export function openOutput(stream: Writable) {
  const gone = new AbortController();
  const onGone = () => gone.abort();
  stream.on('error', onGone);
  stream.on('close', onGone);
  return {
    /** Writes text and resolves when more may be written. Without effect if the reader has closed the stream. */
    async write(text: string): Promise<void> {
      if (gone.signal.aborted || text === '' || stream.write(text)) return;
      await once(stream, 'drain', { signal: gone.signal }).catch(() => {});
    },
    /** Aborts when the reader closes the stream (`| head`), which is not an error. */
    closed: gone.signal,
    /** Resolves when all written text has left this process. */
    async flush() {
      if (!gone.signal.aborted) await new Promise<void>((resolve) => void stream.write('', () => resolve()));
    },
    release() {
      stream.off('close', onGone);
      // The error handler stays because a pending write may fail after the command has ended.
    },
  };
}

/** Returns a value as one line of JSON with all control characters escaped, so that the line is safe to print. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${text}\n`;
}
