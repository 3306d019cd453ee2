import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

/** A two-column list of named facts. */
export function FactList({ children }: { children: ReactNode }) {
  return (
    <Box component="dl" sx={list}>
      {children}
    </Box>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <Box component="dt" sx={{ color: 'text.secondary' }}>
        {name}
      </Box>
      <Box component="dd" sx={{ m: 0, minWidth: 0, overflowWrap: 'anywhere' }}>
        {children}
      </Box>
    </>
  );
}

const list = {
  m: 0,
  display: 'grid',
  gridTemplateColumns: 'auto minmax(0, 1fr)',
  columnGap: 2,
  rowGap: 0.5,
  fontSize: '0.8125rem',
} as const;
