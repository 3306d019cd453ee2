import { useCallback, useEffect, useRef } from 'react';

/** Returns a function that calls `read` once for a burst of calls, `afterMs` after the first call. */
export function useDelayedRefetch(read: () => void, afterMs: number): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const newest = useRef(read);
  newest.current = read;
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      newest.current();
    }, afterMs);
  }, [afterMs]);
}
