import { useEffect, useState } from 'react';
import { useServerClock } from '../../lib/server-clock.ts';

/** Returns when the tab was last hidden (server time, ISO); `null` if it has been visible since the page opened. */
export function useLookedAway(): string | null {
  const clock = useServerClock();
  const [since, setSince] = useState<string | null>(null);
  useEffect(() => {
    const note = (): void => {
      if (document.visibilityState === 'hidden') setSince(new Date(clock.now()).toISOString());
    };
    document.addEventListener('visibilitychange', note);
    return () => document.removeEventListener('visibilitychange', note);
  }, [clock]);
  return since;
}
