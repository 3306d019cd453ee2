import { McpTimeoutError } from './errors.ts';

/**
 * Runs `work` under a time limit and a caller's signal. Rejects with McpTimeoutError or the signal's reason at once, even
 * when `work` does not heed the signal it is given; listeners and timer are gone when it returns.
 */
export async function withDeadline<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
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
  const timer = setTimeout(() => abort(new McpTimeoutError(timeoutMs)), timeoutMs);
  try {
    return await Promise.race([work(controller.signal), stop.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
