import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
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
  if (pages.after === null && !info.hasNextPage) return null;
  return (
    <Box component="nav" aria-label={label} sx={{ display: 'flex', gap: 1, mt: 1 }}>
      <Button variant="outlined" disabled={pages.after === null} onClick={pages.back}>
        {names.back}
      </Button>
      <Button variant="outlined" disabled={!info.hasNextPage} onClick={() => pages.forth(info.endCursor)}>
        {names.forth}
      </Button>
    </Box>
  );
}
