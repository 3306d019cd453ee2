import { useEffect } from 'react';

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
