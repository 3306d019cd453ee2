import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import type { CursorPages } from '../lib/use-cursor-pages.ts';

interface Props {
  /** Accessible name, such as `Pages of the decisions`. */
  readonly label: string;
  readonly pages: CursorPages;
  readonly info: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  /** Labels of the buttons. */
  readonly labels: { readonly previous: string; readonly next: string };
}

/** Buttons for the previous and next page; nothing if there is one page. */
export function CursorPager({ label, pages, info, labels }: Props) {
  // The left page stays visible until the next one arrives. Until then its cursors are out of date.
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
