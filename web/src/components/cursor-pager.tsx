import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import type { Pages } from '../lib/use-cursor-pages.ts';

interface Props {
  /** Accessible name, such as `Pages of the decisions`. */
  readonly label: string;
  readonly pages: Pages;
  readonly info: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  /** Labels of the buttons. */
  readonly names: { readonly back: string; readonly forth: string };
}

/** Buttons for the previous and next page; nothing if there is one page. */
export function PagesNav({ label, pages, info, names }: Props) {
  // The left page stays visible until the next one arrives. Until then its cursors are out of date.
  const [left, setLeft] = useState<Props['info'] | null>(null);
  const stale = info === left;
  const go = (way: () => void): void => {
    if (stale) return;
    setLeft(info);
    way();
  };
  if (!stale && pages.after === null && !info.hasNextPage) return null;
  return (
    <Box component="nav" aria-label={label} sx={{ display: 'flex', gap: 1, mt: 1 }}>
      <Button
        variant="outlined"
        aria-disabled={stale}
        disabled={pages.after === null}
        onClick={() => go(pages.back)}
      >
        {names.back}
      </Button>
      <Button
        variant="outlined"
        aria-disabled={stale}
        disabled={!info.hasNextPage}
        onClick={() => go(() => pages.forth(info.endCursor))}
      >
        {names.forth}
      </Button>
    </Box>
  );
}
