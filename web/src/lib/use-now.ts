import { useEffect, useState } from 'react';
import { useServerClock } from './server-clock.ts';

/** Returns the server's time (ms), updated every `everyMs` while `ticking`. */
export function useNow(ticking: boolean, everyMs = 1_000): number {
  const clock = useServerClock();
  const [now, setNow] = useState(clock.now);
  useEffect(() => {
    if (!ticking) return;
    setNow(clock.now());
    const timer = setInterval(() => setNow(clock.now()), everyMs);
    return () => clearInterval(timer);
  }, [clock, ticking, everyMs]);
  return now;
}
