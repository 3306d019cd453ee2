import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { Link as RouterLink, useLocation } from '../lib/router.tsx';
import { AlertIcon } from './icons.tsx';
import { useSystemWarnings } from './use-system-warnings.ts';

/** Shows the first system warning, on every page except the one that lists all of them. */
export function WarningsBanner() {
  const warnings = useSystemWarnings() ?? [];
  const { pathname } = useLocation();
  const [first] = warnings;
  return (
    // Rendered even without warnings, so that screen readers announce a new one.
    <Box role="status" aria-label="System warnings">
      {first === undefined || pathname === '/system' ? null : (
        <Box sx={line}>
          <AlertIcon sx={{ fontSize: 18, flex: 'none' }} />
          <Box component="span" sx={message}>
            {first.message}
          </Box>
          <Link component={RouterLink} to="/system" color="inherit" sx={{ flex: 'none', fontWeight: 600 }}>
            {warnings.length === 1 ? 'Details' : `All ${warnings.length} warnings`}
          </Link>
        </Box>
      )}
    </Box>
  );
}

const line = {
  display: 'flex',
  alignItems: 'center',
  gap: 1,
  px: { xs: 1.5, sm: 3 },
  py: 0.75,
  fontSize: '0.8125rem',
  color: 'status.late',
  bgcolor: 'color-mix(in srgb, var(--mui-palette-status-late) 10%, var(--mui-palette-background-paper))',
  borderBottom: '1px solid',
  borderColor: 'divider',
  '@media print': { display: 'none' },
} as const;

const message = { minWidth: 0, overflowWrap: 'anywhere' } as const;
