import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { Link as RouterLink, useLocation } from '../lib/router.tsx';
import { bannerLine, bannerMessage } from './banner-styles.ts';
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
        <Box sx={bannerLine}>
          <AlertIcon sx={{ fontSize: 18, flex: 'none' }} />
          <Box component="span" sx={bannerMessage}>
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
