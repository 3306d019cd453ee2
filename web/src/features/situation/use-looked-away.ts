import { useEffect, useState } from 'react';
import { useServerClock } from '../../lib/server-clock.ts';

/** Returns when the tab was last visible before the viewer returned to it (server time, ISO); at first, the page's start. */
export function useLookedAway(): string {
  const clock = useServerClock();
  const [since, setSince] = useState(() => new Date(clock.now()).toISOString());
  useEffect(() => {
    const note = (): void => {
      if (document.visibilityState === 'hidden') setSince(new Date(clock.now()).toISOString());
    };
    document.addEventListener('visibilitychange', note);
    return () => document.removeEventListener('visibilitychange', note);
  }, [clock]);
  return since;
}
