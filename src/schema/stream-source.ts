import type { Viewer } from '../access/viewer.ts';
import { isVisible } from '../access/visibility.ts';
import type { SharedStream } from '../engine/api/engine.ts';

/** Wraps a shared stream for GraphQL, which accepts only async iterables. `sharedExecution` unwraps the stream. */
export class StreamSource<T> implements AsyncIterable<T> {
  readonly stream: SharedStream<T>;

  constructor(stream: SharedStream<T>) {
    this.stream = stream;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    throw new Error('A shared stream is not read one by one.');
  }
}

/**
 * Limits a stream to items that the viewer may see. Keeps the topic, because execution keys already contain visibility.
 */
export function seenBy<T extends { team?: string | null | undefined }>(
  { teams }: Viewer,
  stream: SharedStream<T>,
): SharedStream<T> {
  if (teams === null) return stream;
  const isSeen = (item: T) => isVisible(teams, item.team);
  return {
    topic: stream.topic,
    listen: (listener) => stream.listen((item, place) => isSeen(item) && listener(item, place)),
    async *replay(signal) {
      const items = stream.replay(signal);
      for (;;) {
        const step = await items.next();
        if (step.done) return step.value;
        if (isSeen(step.value)) yield step.value;
      }
    },
  };
}
