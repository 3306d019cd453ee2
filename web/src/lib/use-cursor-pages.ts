import { useState } from 'react';

/** Position in a list that can only be paged forwards; remembers the cursors passed. */
export interface CursorPages {
  /** Cursor before the page; null for the first. */
  readonly after: string | null;
  readonly next: (cursor: string | null) => void;
  readonly previous: () => void;
}

export function useCursorPages(): CursorPages {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  return {
    after: cursors.at(-1) ?? null,
    next: (cursor) => cursor !== null && setCursors((now) => [...now, cursor]),
    previous: () => setCursors((now) => now.slice(0, -1)),
  };
}
