import Link from '@mui/material/Link';
import { type ComponentType, createElement, lazy, Suspense, useEffect, useLayoutEffect, useRef } from 'react';
import { AppShell, Page } from './components/app-shell.tsx';
import { ErrorBoundary } from './components/error-boundary.tsx';
import type { Shape } from './components/loading.tsx';
import { EmptyNotice } from './components/notice.tsx';
import { PageSkeleton } from './components/page-skeleton.tsx';
import { useHasNoRole } from './components/use-has-no-role.ts';
import { ApprovalsBadge } from './features/approvals/approvals-badge.tsx';
import { Attention } from './features/attention/attention.tsx';
import { SessionsPage } from './features/sessions/sessions-page.tsx';
import { Link as RouterLink, Routes, useLocation, useNavigationType } from './lib/router.tsx';
import { useStoredChoice } from './lib/stored.ts';
import { TIME_ZONES, TimeZoneProvider } from './lib/time-zone.ts';
import { loadPages, pages } from './pages.ts';

const NoRole = lazy(() => import('./components/no-role.tsx'));

const lazyPage = (load: () => Promise<{ default: ComponentType }>, shape: Shape) => (
  <Suspense fallback={<PageSkeleton shape={shape} />}>{createElement(lazy(load))}</Suspense>
);

// Pages by pattern of their path. The first matching pattern wins.
const routes = {
  '/': <SessionsPage />,
  '/submit': lazyPage(pages.submit, 'fields'),
  '/alerts': lazyPage(pages.alerts, 'rows'),
  '/alerts/silences': lazyPage(pages.silences, 'rows'),
  '/compare': lazyPage(pages.compare, 'pair'),
  '/approvals': lazyPage(pages.approvals, 'cards'),
  '/review': lazyPage(pages.board, 'columns'),
  '/review/calibration': lazyPage(pages.calibration, 'charts'),
  '/review/memory': lazyPage(pages.memories, 'rows'),
  '/review/cases': lazyPage(pages.cases, 'rows'),
  '/system': lazyPage(pages.system, 'rows'),
  '/system/usage': lazyPage(pages.usage, 'charts'),
  '/system/schedules': lazyPage(pages.schedules, 'rows'),
  '/system/tokens': lazyPage(pages.tokens, 'rows'),
  '/system/audit': lazyPage(pages.audit, 'rows'),
  '/system/notifications': lazyPage(pages.notifications, 'rows'),
  '/system/configuration': lazyPage(pages.configuration, 'rows'),
  '/sessions/:id': lazyPage(pages.session, 'article'),
  '/sessions/:id/trace': lazyPage(pages.trace, 'trace'),
  '/alerts/:id': lazyPage(pages.group, 'article'),
  '*': <NotFound />,
} as const;

// Delay (ms) of the preload, so that the first page loads its own data and code before the other pages' code.
const PRELOAD_AFTER_MS = 1_000;

export function App() {
  const { pathname } = useLocation();
  useResetOnNewPage(pathname);
  usePreload();
  const hasNoRole = useHasNoRole();
  const [zone] = useStoredChoice('time-zone', TIME_ZONES, 'local');
  return (
    <TimeZoneProvider value={zone}>
      {hasNoRole ? null : <Attention />}
      <AppShell badge={hasNoRole ? null : <ApprovalsBadge />}>
        <ErrorBoundary key={pathname}>
          <Suspense>{hasNoRole ? <NoRole /> : <Routes routes={routes} />}</Suspense>
        </ErrorBoundary>
      </AppShell>
    </TimeZoneProvider>
  );
}

/**
 * Scrolls a newly opened page to its top and focuses it. After Back and Forward, the browser restores the
 * scroll position.
 */
function useResetOnNewPage(pathname: string): void {
  const navigationType = useNavigationType();
  const shownPath = useRef(pathname);
  useLayoutEffect(() => {
    // If only the search parameters changed, an open menu must keep the focus.
    if (shownPath.current === pathname) return;
    shownPath.current = pathname;
    if (navigationType === 'POP') return;
    window.scrollTo({ top: 0, behavior: 'instant' });
    const main = document.getElementById('main');
    const focused = document.activeElement;
    // A dialog that was opened while the page loaded keeps the focus.
    if (main?.contains(focused) || focused?.closest('[role="dialog"]')) return;
    main?.focus({ preventScroll: true });
  }, [pathname, navigationType]);
}

/** Preloads all pages, so that they open even while the server restarts or after an update removed their files. */
function usePreload(): void {
  useEffect(() => {
    const timer = setTimeout(() => void loadPages(), PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
}

function NotFound() {
  return (
    <Page>
      <EmptyNotice isPage title="Page not found">
        <Link component={RouterLink} to="/">
          Go to sessions
        </Link>
      </EmptyNotice>
    </Page>
  );
}
