import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { Link as RouterLink, useLocation } from '../lib/router.tsx';
import { useTitleCount } from '../lib/use-document-title.ts';
import { bannerLine, bannerMessage } from './banner-styles.ts';
import { WaitIcon } from './icons.tsx';
import { useWaitingWork } from './use-system-state.ts';
import { countText, standstills } from './waits.ts';

/**
 * Shows unexpected causes of waiting, on every page except the one that lists all causes. The tab's title
 * gets the number of waiting sessions and alert groups.
 */
export function WaitingBanner() {
  const work = standstills(useWaitingWork() ?? []);
  const { pathname } = useLocation();
  useTitleCount(
    'waiting',
    work.reduce((sum, { sessions, alertGroups }) => sum + sessions + alertGroups, 0),
  );
  return (
    // Rendered even while nothing waits, so that screen readers announce the first cause.
    <Box role="status" aria-label="Waiting">
      {pathname === '/system'
        ? null
        : work.map((cause) => (
            <Box key={`${cause.reason} ${cause.message}`} sx={bannerLine}>
              <WaitIcon sx={{ fontSize: 18, flex: 'none' }} />
              <Box component="span" sx={bannerMessage}>
                <b>{countText(cause)} waiting</b>: {cause.message}
              </Box>
              <Link
                component={RouterLink}
                to="/system#waiting"
                color="inherit"
                sx={{ flex: 'none', fontWeight: 600 }}
              >
                Details
              </Link>
            </Box>
          ))}
    </Box>
  );
}
