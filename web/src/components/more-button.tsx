import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

/** A button styled as a link that shows more of the list above it. */
export function MoreButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Box component="button" type="button" onClick={onClick} sx={quiet}>
      {children}
    </Box>
  );
}

const quiet = {
  font: 'inherit',
  color: 'primary.main',
  border: 0,
  background: 'none',
  cursor: 'pointer',
  minHeight: 24,
} as const;
