import { useEffect } from 'react';

/**
 * Interval (ms) of reading data that has a subscription, because changes between the first read and the start of the
 * subscription send no event.
 */
export const MISSED_CHANGES_MS = 30_000;

/** Calls `read` every `everyMs` while the page is visible, and when it becomes visible. */
export function usePolling(read: () => void, everyMs: number): void {
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') read();
    };
    const timer = setInterval(look, everyMs);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [read, everyMs]);
}
