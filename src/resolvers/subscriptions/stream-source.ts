import type { SharedStream } from '../../engine/engine.ts';

/**
 * Carries a shared stream through GraphQL, which knows async iterables only. Whoever executes the subscription takes
 * the stream out of it, to execute each live item once for all subscribers; read as an iterable it would be executed
 * for each of them, so it refuses.
 */
export class StreamSource<T> implements AsyncIterable<T> {
  readonly stream: SharedStream<T>;

  constructor(stream: SharedStream<T>) {
    this.stream = stream;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    throw new Error('A shared stream is not read one by one.');
  }
}
