import { McpTimeoutError } from './errors.ts';

/**
 * Runs `work` under a time limit and a caller's signal. Rejects with McpTimeoutError or the signal's reason at once, even
 * when `work` does not heed the signal it is given; listeners and timer are gone when it returns.
 * @param work `again` begins the time anew, which ends `longestMs` after the start at the latest
 */
export async function withDeadline<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal, again: () => void) => Promise<T>,
  longestMs = timeoutMs,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const stop = Promise.withResolvers<never>();
  const abort = (reason: unknown) => {
    controller.abort(reason);
    stop.reject(reason);
  };
  const onAbort = () => abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const begin = () => {
    clearTimeout(timer);
    if (isOver) return;
    const elapsed = performance.now() - started;
    const ms = Math.min(timeoutMs, longestMs - elapsed);
    timer = setTimeout(() => abort(new McpTimeoutError(ms < timeoutMs ? longestMs : timeoutMs)), ms);
  };
  begin();
  try {
    return await Promise.race([work(controller.signal, begin), stop.promise]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
