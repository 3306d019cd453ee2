import { useEffect } from 'react';

/** Calls `read` every `everyMs` while the page is looked at, and at once when it is looked at again. */
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
