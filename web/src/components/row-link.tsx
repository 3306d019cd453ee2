import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { Link } from '../lib/router.tsx';

/** Attribute of the links that the keys j and k step through. */
export const ROW_LINK = 'data-row-link';

/** The title of a row, as a link that covers the complete row. */
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
  // The row shows the focus ring instead, because a ring around the link would be clipped.
  '&:focus-visible': { outline: 'none' },
} as const;

/** Style of a row with a RowLink. The row must be `position: relative`. */
export const rowHover = {
  // Margins that keep a focused row from being hidden by the sticky header.
  scrollMarginBlock: '64px 16px',
  '&:hover': { bgcolor: 'action.hover' },
  '&:has(a:focus-visible)': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: -2 },
} as const;
