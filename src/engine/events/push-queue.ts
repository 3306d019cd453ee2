/** The subscriber read too slowly and was cut off; it resumes from its last cursor. */
class SlowSubscriberError extends Error {
  readonly code = 'SLOW_SUBSCRIBER';
  constructor() {
    super('This subscriber reads too slowly and was cut off. Subscribe again after your last cursor.');
    this.name = 'SlowSubscriberError';
  }
}

/** A queue that one producer pushes to and one consumer iterates; what is unread is bounded. */
export interface PushQueue<T> extends AsyncIterable<T> {
  push(item: T): void;
  /** No more items: the consumer reads what is there, then ends (or throws `error`). */
  end(error?: Error): void;
}

export function createPushQueue<T>(limits: {
  items: number;
  size: number;
  sizeOf: (item: T) => number;
}): PushQueue<T> {
  const items: T[] = [];
  let size = 0;
  let ended = false;
  let failure: Error | undefined;
  let wake: (() => void) | undefined;

  function end(error?: Error): void {
    if (ended) return;
    ended = true;
    failure = error;
    wake?.();
  }

  return {
    push(item) {
      if (ended) return;
      items.push(item);
      size += limits.sizeOf(item);
      if (items.length > limits.items || size > limits.size) {
        items.length = 0; // it will read them from the log when it is back
        end(new SlowSubscriberError());
      }
      wake?.();
    },
    end,
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (items.length > 0) {
          const item = items.shift() as T;
          size -= limits.sizeOf(item);
          yield item;
        }
        if (ended) {
          if (failure) throw failure;
          return;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = undefined;
      }
    },
  };
}
