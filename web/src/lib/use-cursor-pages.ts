import { useState } from 'react';

/** Position in a list that can only be paged forwards; remembers the cursors passed. */
export interface Pages {
  /** Cursor before the page; null for the first. */
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
