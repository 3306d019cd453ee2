import { createContext, useContext } from 'react';

/** What time it is at the server: the browser's clock may be minutes off, and running times would tell so. */
export interface ServerClock {
  /** Milliseconds since the epoch, by the server's clock. */
  readonly now: () => number;
  /** The server said now that its clock shows `at`. */
  readonly note: (at: string) => void;
}

// Transport makes every answer older than it says; within a minute the quickest one is nearest to the truth.
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

/** The server's clock, as the page knows it. */
export function useServerClock(): ServerClock {
  return useContext(ServerClockContext);
}
