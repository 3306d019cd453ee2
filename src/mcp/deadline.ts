import { McpTimeoutError } from './errors.ts';

/**
 * Runs `work`. Rejects at once when its time is up (McpTimeoutError) or `signal` aborts (with the signal's reason).
 * @param work receives a signal to stop, and `restart`, which restarts the time limit
 * @param maxMs limit of the total time, restarts included
 */
export async function withDeadline<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal, restart: () => void) => Promise<T>,
  maxMs = timeoutMs,
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
    const ms = Math.min(timeoutMs, maxMs - elapsed);
    timer = setTimeout(() => abort(new McpTimeoutError(ms < timeoutMs ? maxMs : timeoutMs)), ms);
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
