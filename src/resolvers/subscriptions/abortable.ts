/**
 * Makes a source that ends on a signal into an iterator that a transport can end: `return()` aborts the signal and
 * answers the pending `next()` at once. (A generator's own `return()` waits for its pending `next()`, which for a
 * quiet session is for ever.) One `next()` at a time, as executors call it.
 */
export function abortable<T>(open: (signal: AbortSignal) => AsyncIterable<T>): AsyncIterableIterator<T> {
  const controller = new AbortController();
  const source = open(controller.signal)[Symbol.asyncIterator]();
  const done: IteratorReturnResult<undefined> = { done: true, value: undefined };
  // Not Promise.race against one long-lived promise: that would hold on to every item ever sent.
  let settlePending: ((result: IteratorResult<T>) => void) | null = null;
  const end = () => {
    controller.abort();
    settlePending?.(done);
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (controller.signal.aborted) return Promise.resolve(done);
      return new Promise((resolve, reject) => {
        settlePending = resolve;
        source.next().then(resolve, reject);
      });
    },
    async return() {
      end();
      return done;
    },
    async throw(error: unknown) {
      end();
      throw error;
    },
  };
}
