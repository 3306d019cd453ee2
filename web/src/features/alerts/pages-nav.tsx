import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import type { Pages } from './use-pages.ts';

interface Props {
  /** Names it, such as `Pages of the decisions`. */
  readonly label: string;
  readonly pages: Pages;
  readonly info: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  /** What the buttons say. */
  readonly names: { readonly back: string; readonly forth: string };
}

/** The ways to the pages before and after; nothing where there is one page. */
export function PagesNav({ label, pages, info, names }: Props) {
  // The page that was left stays until the next one is there: its ways would lead on from another place than is shown.
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
