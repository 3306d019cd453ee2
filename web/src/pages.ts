import { matchPath } from './lib/address.ts';

// Loads a page's script on demand. The session list alone is part of the first script.
export const pages = {
  session: () => import('./features/session/session-page.tsx'),
  trace: () => import('./features/trace/trace-page.tsx'),
  submit: () => import('./features/submit/submit-page.tsx'),
  alerts: () => import('./features/alerts/alerts-page.tsx'),
  group: () => import('./features/alerts/group-page.tsx'),
  silences: () => import('./features/alerts/silences-page.tsx'),
  board: () => import('./features/review/board-page.tsx'),
  calibration: () => import('./features/calibration/calibration-page.tsx'),
  approvals: () => import('./features/approvals/approvals-page.tsx'),
  system: () => import('./features/system/system-page.tsx'),
  memories: () => import('./features/memory/memories-page.tsx'),
  cases: () => import('./features/cases/cases-page.tsx'),
  schedules: () => import('./features/schedules/schedules-page.tsx'),
  usage: () => import('./features/usage/usage-page.tsx'),
  tokens: () => import('./features/access/tokens-page.tsx'),
  compare: () => import('./features/compare/compare-page.tsx'),
  audit: () => import('./features/access/audit-page.tsx'),
  notifications: () => import('./features/notifications/notifications-page.tsx'),
  configuration: () => import('./features/access/configuration-page.tsx'),
};

const loadParts = [
  () => import('./components/choice-list.tsx'),
  () => import('./components/view-choices.tsx'),
  () => import('./components/cancel-dialog.tsx'),
  () => import('./components/date-time-field.tsx'),
  () => import('./components/shortcuts-dialog.tsx'),
  () => import('./features/palette/command-palette.tsx'),
];

/** Loads all pages and lazy components. Never rejects, because a file that fails is loaded again when needed. */
export function loadPages(): Promise<unknown> {
  return Promise.allSettled([...loadParts, ...Object.values(pages)].map((load) => load()));
}

/** Returns the session id in a path (global id or UUID); null for other pages. */
export function sessionOfPath(pathname: string): string | null {
  return matchPath('/sessions/:id', pathname)?.id ?? null;
}
