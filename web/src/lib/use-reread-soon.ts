import { useCallback, useEffect, useRef } from 'react';

/** Calls `read` `afterMs` after the first of many calls, once for all of them: what changes in a burst is read once. */
export function useRereadSoon(read: () => void, afterMs: number): () => void {
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
