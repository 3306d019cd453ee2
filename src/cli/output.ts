import type { Writable } from 'node:stream';

/** Writes to a stream that may be slow, or closed by the one who reads it. */
export interface Output {
  /** Resolves when more may be written; at once when the reader has gone. */
  write(text: string): Promise<void>;
  /** Aborts when the reader has gone (`| head`), which is no error. */
  closed: AbortSignal;
  /** Resolves when all that was written has left this process. */
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
      // The error handler stays: a write that is still under way may fail after the command has ended.
    },
  };
}
