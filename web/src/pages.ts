import { matchPath } from './lib/address.ts';

// The session list is part of the first script; every other page is a file of its own.
export const loadSession = () => import('./features/session/session-page.tsx');
export const loadTrace = () => import('./features/trace/trace-page.tsx');
export const loadSubmit = () => import('./features/submit/submit-page.tsx');
export const loadAlerts = () => import('./features/alerts/alerts-page.tsx');
export const loadGroup = () => import('./features/alerts/group-page.tsx');
export const loadSilences = () => import('./features/alerts/silences-page.tsx');
export const loadBoard = () => import('./features/review/board-page.tsx');
export const loadCalibration = () => import('./features/calibration/calibration-page.tsx');
export const loadApprovals = () => import('./features/approvals/approvals-page.tsx');
export const loadSystem = () => import('./features/system/system-page.tsx');
export const loadMemories = () => import('./features/memory/memories-page.tsx');
export const loadUsage = () => import('./features/usage/usage-page.tsx');
export const loadTokens = () => import('./features/access/tokens-page.tsx');
export const loadAudit = () => import('./features/access/audit-page.tsx');
export const loadConfiguration = () => import('./features/access/configuration-page.tsx');

const loadParts = [
  () => import('./components/choice-list.tsx'),
  () => import('./components/view-choices.tsx'),
  () => import('./components/cancel-dialog.tsx'),
  () => import('./components/date-time-field.tsx'),
  () => import('./components/shortcuts-dialog.tsx'),
];

/** Loads all other pages and parts. Never rejects: a failed file is loaded again when needed. */
export function loadPages(): Promise<unknown> {
  const common = [
    loadSession,
    loadTrace,
    loadSubmit,
    loadAlerts,
    loadGroup,
    loadSilences,
    loadBoard,
    loadCalibration,
    loadMemories,
    loadApprovals,
    loadSystem,
    loadUsage,
  ];
  return Promise.allSettled(
    [...loadParts, ...common, loadTokens, loadAudit, loadConfiguration].map((load) => load()),
  );
}

/** Returns the session id in a path (global id or UUID); null for other pages. */
export function sessionOfPath(pathname: string): string | null {
  return matchPath('/sessions/:id', pathname)?.id ?? null;
}
