import { createContext, useContext } from 'react';

/** Provides the server's time, because the browser's clock may be minutes off, which would falsify durations. */
export interface ServerClock {
  /** Returns the server's time (ms since the epoch). */
  readonly now: () => number;
  readonly note: (at: string) => void;
}

// Time (ms) for which the answer with the shortest delay sets the clock, because delay makes the server's
// time seem earlier.
const REMEMBER_MS = 60_000;

export function createServerClock(local: () => number = () => Date.now()): ServerClock {
  let offset = 0;
  let notedAt = Number.NEGATIVE_INFINITY;
  return {
    now: () => local() + offset,
    note: (at) => {
      const received = local();
      const next = Date.parse(at) - received;
      if (Number.isNaN(next)) return;
      if (next <= offset && received - notedAt < REMEMBER_MS && received >= notedAt) return;
      offset = next;
      notedAt = received;
    },
  };
}

const ServerClockContext = createContext<ServerClock>({ now: () => Date.now(), note: () => undefined });
export const ServerClockProvider = ServerClockContext.Provider;

export function useServerClock(): ServerClock {
  return useContext(ServerClockContext);
}
