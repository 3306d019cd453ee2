import { useCallback, useEffect, useRef } from 'react';

/** Returns a function that calls `read` once, `afterMs` after the first of a burst of calls. */
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
