import { useState } from 'react';

/** The way through a list that only leads onwards: where it has been is remembered. */
export interface Pages {
  /** Cursor that the page begins after; null: the first. */
  readonly after: string | null;
  readonly forth: (cursor: string | null) => void;
  readonly back: () => void;
}

export function usePages(): Pages {
  const [been, setBeen] = useState<readonly string[]>([]);
  return {
    after: been.at(-1) ?? null,
    forth: (cursor) => cursor !== null && setBeen((now) => [...now, cursor]),
    back: () => setBeen((now) => now.slice(0, -1)),
  };
}
