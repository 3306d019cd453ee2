import Link from '@mui/material/Link';
import { lazy, Suspense, useEffect, useLayoutEffect, useRef } from 'react';
import { AppShell, Page } from './components/app-shell.tsx';
import { ErrorBoundary } from './components/error-boundary.tsx';
import { Loading } from './components/loading.tsx';
import { NoRole, useHasNoRole } from './components/no-role.tsx';
import { EmptyNotice } from './components/notice.tsx';
import { ApprovalsBadge } from './features/approvals/approvals-badge.tsx';
import { SessionsPage } from './features/sessions/sessions-page.tsx';
import { Link as RouterLink, Routes, useLocation, useNavigationType } from './lib/router.tsx';
import { useStoredChoice } from './lib/stored.ts';
import { TIME_ZONES, TimeZoneProvider } from './lib/time-zone.ts';
import {
  loadAlerts,
  loadApprovals,
  loadAudit,
  loadBoard,
  loadCalibration,
  loadConfiguration,
  loadGroup,
  loadMemories,
  loadPages,
  loadSession,
  loadSilences,
  loadSubmit,
  loadSystem,
  loadTokens,
  loadTrace,
  loadUsage,
} from './pages.ts';

const SessionPage = lazy(loadSession);
const TracePage = lazy(loadTrace);
const SubmitPage = lazy(loadSubmit);
const AlertsPage = lazy(loadAlerts);
const ApprovalsPage = lazy(loadApprovals);
const GroupPage = lazy(loadGroup);
const SilencesPage = lazy(loadSilences);
const BoardPage = lazy(loadBoard);
const CalibrationPage = lazy(loadCalibration);
const MemoriesPage = lazy(loadMemories);
const SystemPage = lazy(loadSystem);
const UsagePage = lazy(loadUsage);
const TokensPage = lazy(loadTokens);
const AuditPage = lazy(loadAudit);
const ConfigurationPage = lazy(loadConfiguration);

// The first matching pattern wins.
const routes = {
  '/': <SessionsPage />,
  '/submit': <SubmitPage />,
  '/alerts': <AlertsPage />,
  '/alerts/silences': <SilencesPage />,
  '/approvals': <ApprovalsPage />,
  '/review': <BoardPage />,
  '/review/calibration': <CalibrationPage />,
  '/review/memory': <MemoriesPage />,
  '/system': <SystemPage />,
  '/system/usage': <UsagePage />,
  '/system/tokens': <TokensPage />,
  '/system/audit': <AuditPage />,
  '/system/configuration': <ConfigurationPage />,
  '/sessions/:id': <SessionPage />,
  '/sessions/:id/trace': <TracePage />,
  '/alerts/:id': <GroupPage />,
  '*': <NotFound />,
} as const;

// The first page loads its own data and code before the others are fetched.
const PRELOAD_AFTER_MS = 1_000;

/** The routes. An error in one page leaves the header and the other pages usable. */
export function App() {
  const { pathname } = useLocation();
  useResetOnNewPage(pathname);
  usePreload();
  const hasNoRole = useHasNoRole();
  const [zone] = useStoredChoice('time-zone', TIME_ZONES, 'local');
  return (
    <TimeZoneProvider value={zone}>
      <AppShell badge={hasNoRole ? null : <ApprovalsBadge />}>
        <ErrorBoundary key={pathname}>
          {hasNoRole ? (
            <NoRole />
          ) : (
            <Suspense fallback={<Loading label="Loading the page" height={4} />}>
              <Routes routes={routes} />
            </Suspense>
          )}
        </ErrorBoundary>
      </AppShell>
    </TimeZoneProvider>
  );
}

/** Scrolls a newly opened page to its top and focuses it. Back and forward are left to the browser. */
function useResetOnNewPage(pathname: string): void {
  const navigationType = useNavigationType();
  const shownPath = useRef(pathname);
  useLayoutEffect(() => {
    // Only the filters changed: an open menu keeps the focus.
    if (shownPath.current === pathname) return;
    shownPath.current = pathname;
    if (navigationType === 'POP') return;
    window.scrollTo({ top: 0, behavior: 'instant' });
    const main = document.getElementById('main');
    if (!main?.contains(document.activeElement)) main?.focus({ preventScroll: true });
  }, [pathname, navigationType]);
}

/** Preloads all pages, so that they open while the server restarts or after an update removed this version's files. */
function usePreload(): void {
  useEffect(() => {
    const timer = setTimeout(() => void loadPages(), PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
}

function NotFound() {
  return (
    <Page>
      <EmptyNotice title="There is no such page">
        <Link component={RouterLink} to="/">
          Go to the sessions
        </Link>
      </EmptyNotice>
    </Page>
  );
}
