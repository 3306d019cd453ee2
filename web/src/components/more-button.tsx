import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

/** Shows more of what it stands below; as quiet as a link. */
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
