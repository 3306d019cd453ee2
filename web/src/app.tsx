import LinearProgress from '@mui/material/LinearProgress';
import Link from '@mui/material/Link';
import { lazy, Suspense, useEffect, useLayoutEffect } from 'react';
import { Route, Link as RouterLink, Routes, useLocation, useNavigationType } from 'react-router';
import { AppShell, Page } from './components/app-shell.tsx';
import { ErrorBoundary } from './components/error-boundary.tsx';
import { NoRole, useHasNoRole } from './components/no-role.tsx';
import { EmptyNotice } from './components/notice.tsx';
import { SessionsPage } from './features/sessions/sessions-page.tsx';
import { useStoredChoice } from './lib/stored.ts';
import { TIME_ZONES, TimeZoneProvider } from './lib/time-zone.ts';
import {
  loadAlerts,
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

// After the first page has what it needs.
const PRELOAD_AFTER_MS = 1_000;

/** The routes. A fault in one page leaves the header and the other pages usable. */
export function App() {
  const { pathname } = useLocation();
  useNewPage(pathname);
  usePreload();
  const hasNoRole = useHasNoRole();
  const [zone] = useStoredChoice('time-zone', TIME_ZONES, 'local');
  return (
    <TimeZoneProvider value={zone}>
      <AppShell>
        <ErrorBoundary key={pathname}>
          {hasNoRole ? (
            <NoRole />
          ) : (
            <Suspense fallback={<LinearProgress aria-label="Loading the page" />}>
              <Routes>
                <Route path="/" element={<SessionsPage />} />
                <Route path="/sessions/:id" element={<SessionPage />} />
                <Route path="/sessions/:id/trace" element={<TracePage />} />
                <Route path="/submit" element={<SubmitPage />} />
                <Route path="/alerts" element={<AlertsPage />} />
                <Route path="/alerts/silences" element={<SilencesPage />} />
                <Route path="/alerts/:id" element={<GroupPage />} />
                <Route path="/review" element={<BoardPage />} />
                <Route path="/review/calibration" element={<CalibrationPage />} />
                <Route path="/review/memory" element={<MemoriesPage />} />
                <Route path="/system" element={<SystemPage />} />
                <Route path="/system/usage" element={<UsagePage />} />
                <Route path="/system/tokens" element={<TokensPage />} />
                <Route path="/system/audit" element={<AuditPage />} />
                <Route path="/system/configuration" element={<ConfigurationPage />} />
                <Route path="*" element={<NotFound />} />
              </Routes>
            </Suspense>
          )}
        </ErrorBoundary>
      </AppShell>
    </TimeZoneProvider>
  );
}

/** A page that is gone to begins at its top, with the keyboard in it; going back is left to the browser. */
function useNewPage(pathname: string): void {
  const way = useNavigationType();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is the reason to do it
  useLayoutEffect(() => {
    if (way === 'POP') return;
    window.scrollTo({ top: 0, behavior: 'instant' });
    const main = document.getElementById('main');
    if (!main?.contains(document.activeElement)) main?.focus({ preventScroll: true });
  }, [pathname, way]);
}

/** The pages must open while the server restarts, and after an update that no longer has this version's files. */
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
