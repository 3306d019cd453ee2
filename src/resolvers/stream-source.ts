import type { Viewer } from '../access/viewer.ts';
import { isVisible } from '../access/visibility.ts';
import type { SharedStream } from '../engine/api/engine.ts';

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

/** A stream of what a viewer may see. It is the same for all viewers of the same sight. */
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
