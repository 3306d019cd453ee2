import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { Link } from '../lib/router.tsx';

/** Marks the links that j and k go through. */
export const ROW_LINK = 'data-row-link';

/** What a row is about; its link covers the whole row it stands in. */
export function RowLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Box component={Link} to={to} {...{ [ROW_LINK]: '' }} sx={link}>
      {children}
    </Box>
  );
}

const link = {
  display: 'block',
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
  fontSize: '0.875rem',
  fontWeight: 600,
  color: 'text.primary',
  textDecoration: 'none',
  '&::after': { content: '""', position: 'absolute', inset: 0 },
  '&:hover': { textDecoration: 'underline' },
  // The row shows the focus: the link's own box would be cut off.
  '&:focus-visible': { outline: 'none' },
} as const;

/** For the row itself, which must be `position: relative`. */
export const rowHover = {
  // A row that is gone to must not end below the header.
  scrollMarginBlock: '64px 16px',
  '&:hover': { bgcolor: 'action.hover' },
  '&:has(a:focus-visible)': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: -2 },
} as const;
