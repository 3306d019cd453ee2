import type { Writable } from 'node:stream';

/** Writes to a stream whose reader may be slow or close it. */
export interface Output {
  /** Resolves when more may be written; at once if the reader has closed the stream. */
  write(text: string): Promise<void>;
  /** Aborts when the reader closes the stream (`| head`), which is not an error. */
  closed: AbortSignal;
  /** Resolves when all written text has left this process. */
  flush(): Promise<void>;
  release(): void;
}

export function openOutput(stream: Writable): Output {
  const gone = new AbortController();
  const onGone = () => gone.abort();
  stream.on('error', onGone);
  stream.on('close', onGone);
  return {
    async write(text) {
      if (gone.signal.aborted || text === '' || stream.write(text)) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      stream.once('drain', resolve);
      gone.signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      stream.off('drain', resolve);
    },
    closed: gone.signal,
    async flush() {
      if (gone.signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      stream.write('', () => resolve());
      await promise;
    },
    release() {
      stream.off('close', onGone);
      // The error handler stays because a pending write may fail after the command has ended.
    },
  };
}

/** Returns one line of NDJSON with all control characters escaped, so that the line is exact and safe to print. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${text}\n`;
}
