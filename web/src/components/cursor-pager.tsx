import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';

interface Props {
  readonly label: string;
  readonly pages: CursorPages;
  readonly info: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly labels: { readonly previous: string; readonly next: string };
}

/** Buttons for the previous and next page; nothing if there is only one page. */
export function CursorPager({ label, pages, info, labels }: Props) {
  // The `info` of the page that the viewer left. While `info` is unchanged, the new page has not arrived, and
  // the buttons must not use these cursors.
  const [leftPage, setLeftPage] = useState<Props['info'] | null>(null);
  const stale = info === leftPage;
  const go = (move: () => void): void => {
    if (stale) return;
    setLeftPage(info);
    move();
  };
  if (!stale && pages.after === null && !info.hasNextPage) return null;
  return (
    <Box component="nav" aria-label={label} sx={{ display: 'flex', gap: 1, mt: 1 }}>
      <Button
        variant="outlined"
        aria-disabled={stale}
        disabled={pages.after === null}
        onClick={() => go(pages.previous)}
      >
        {labels.previous}
      </Button>
      <Button
        variant="outlined"
        aria-disabled={stale}
        disabled={!info.hasNextPage}
        onClick={() => go(() => pages.next(info.endCursor))}
      >
        {labels.next}
      </Button>
    </Box>
  );
}

/** Position in a list that the API pages only forwards. Remembers the cursors of earlier pages for going back. */
export interface CursorPages {
  /** Cursor after which the page begins; null for the first page. */
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
