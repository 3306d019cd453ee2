import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { type ReactNode, useContext } from 'react';
import { Link, NavLink } from '../lib/router.tsx';
import { PALETTE_KEY, ShortcutsContext } from '../lib/shortcuts.ts';
import { usePrintScheme } from '../lib/use-print-scheme.ts';
import { DeniedButton } from './action-button.tsx';
import { ConnectionChip } from './connection-chip.tsx';
import { AddIcon, SearchIcon } from './icons.tsx';
import { SignInBanner } from './sign-in-banner.tsx';
import { useRights } from './use-rights.ts';
import { VersionBanner } from './version-banner.tsx';
import { ViewMenu } from './view-menu.tsx';
import { ViewerName } from './viewer-name.tsx';
import { WaitingBanner } from './waiting-banner.tsx';
import { WarningsBanner } from './warnings-banner.tsx';

/** Height of the sticky header (px). */
export const HEADER_HEIGHT = 48;

/** The frame of every page: header, banners, content. `badge` is shown in the header. */
export function AppShell({ badge, children }: { badge?: ReactNode; children: ReactNode }) {
  usePrintScheme();
  return (
    <Box sx={{ minHeight: '100dvh' }}>
      <Box component="a" href="#main" sx={skipLink}>
        Skip to content
      </Box>
      <Box component="header" sx={header}>
        <Box component={Link} to="/" sx={brand} aria-label="TARSy, all sessions">
          TARSy
        </Box>
        <Box component="nav" aria-label="Main" sx={nav}>
          <NavLink to="/" end>
            Sessions
          </NavLink>
          <NavLink to="/alerts">Alerts</NavLink>
          <NavLink to="/review">Review</NavLink>
          <NavLink to="/system">System</NavLink>
        </Box>
        <Box sx={{ flex: 1 }} />
        {badge}
        <ConnectionChip />
        <ViewerName />
        <PaletteButton />
        <ViewMenu />
        <SubmitButton />
      </Box>
      <SignInBanner />
      <VersionBanner />
      <WarningsBanner />
      <WaitingBanner />
      <Box component="main" id="main" tabIndex={-1} sx={{ outline: 'none' }}>
        {children}
      </Box>
    </Box>
  );
}

/** Opens the command palette by a click, which also shows that it exists. Phones have no room for it. */
function PaletteButton() {
  const registry = useContext(ShortcutsContext);
  const open = (): void => {
    const shortcuts = registry?.groups().flatMap((group) => group.shortcuts);
    shortcuts?.find(({ key }) => key === PALETTE_KEY)?.run?.();
  };
  return (
    <IconButton
      title={`Find a session, a page or an action (${PALETTE_KEY})`}
      aria-label="Command palette"
      onClick={open}
      sx={{ display: { xs: 'none', sm: 'inline-flex' } }}
    >
      <SearchIcon fontSize="small" />
    </IconButton>
  );
}

function SubmitButton() {
  const why = useRights().whyNot('SUBMIT_ALERTS');
  const look = { variant: 'contained', 'aria-label': 'Submit alert', sx: submit } as const;
  const content = (
    <>
      <AddIcon sx={{ fontSize: 18 }} />
      <Box component="span" sx={{ ml: 0.75, display: { xs: 'none', sm: 'inline' } }}>
        Submit alert
      </Box>
    </>
  );
  if (why !== null)
    return (
      <DeniedButton {...look} why={why}>
        {content}
      </DeniedButton>
    );
  return (
    <Button {...look} component={Link} to="/submit">
      {content}
    </Button>
  );
}

/** Content of a page. All pages have the same width (px), so that nothing moves between them. */
export function Page({ children }: { children: ReactNode }) {
  return (
    <Box sx={{ maxWidth: 1680, mx: 'auto', px: { xs: 1.5, sm: 3 }, py: { xs: 2, sm: 3 } }}>{children}</Box>
  );
}

const header = {
  position: 'sticky',
  top: 0,
  zIndex: 'appBar',
  height: HEADER_HEIGHT,
  display: 'flex',
  alignItems: 'center',
  gap: { xs: 0.75, sm: 1.5 },
  px: { xs: 1.5, sm: 3 },
  bgcolor: 'background.paper',
  borderBottom: '1px solid',
  borderColor: 'divider',
  '@media print': { display: 'none' },
} as const;

const brand = {
  // The name is hidden on phones, which only have room for the navigation. The navigation's first link leads
  // to the same page.
  display: { xs: 'none', sm: 'inline' },
  fontSize: '1.05rem',
  fontWeight: 750,
  letterSpacing: '-0.01em',
  color: 'text.primary',
  textDecoration: 'none',
} as const;

const nav = {
  display: 'flex',
  alignSelf: 'stretch',
  ml: { xs: -0.5, sm: 1 },
  '& a': {
    display: 'flex',
    alignItems: 'center',
    px: { xs: 0.5, sm: 1 },
    fontSize: '0.875rem',
    color: 'text.secondary',
    textDecoration: 'none',
    borderBottom: '2px solid transparent',
  },
  '& a:hover': { color: 'text.primary' },
  '& a:focus-visible': { outlineOffset: -3 },
  '& a.active': { color: 'text.primary', fontWeight: 600, borderColor: 'primary.main' },
} as const;

const submit = { minWidth: 0, px: { xs: 1, sm: 1.5 }, flex: 'none' } as const;

const skipLink = {
  position: 'fixed',
  left: 8,
  top: 8,
  clipPath: 'inset(50%)',
  zIndex: 'tooltip',
  px: 1.5,
  py: 1,
  bgcolor: 'background.paper',
  color: 'primary.main',
  '&:focus': { clipPath: 'none' },
} as const;
