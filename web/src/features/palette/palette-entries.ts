import type { PaletteMatchesQuery } from '../../graphql/gen/documents.ts';
import { groupPath, sessionPath } from '../../lib/paths.ts';
import { PALETTE_KEY, type ShortcutGroup } from '../../lib/shortcuts.ts';
import { statusLook } from '../../theme.ts';
import { VERDICTS } from '../report/verdict.tsx';

/** A row of the command palette. */
export interface PaletteEntry {
  /** Unique among the entries. */
  readonly id: string;
  readonly group: string;
  readonly label: string;
  /** Text at the end of the row: a key, a verdict or a state. */
  readonly note: string;
  readonly run: () => void;
}

const PAGES = [
  { to: '/', label: 'Sessions' },
  { to: '/alerts', label: 'Alert groups' },
  { to: '/alerts/silences', label: 'Silences' },
  { to: '/approvals', label: 'Approvals' },
  { to: '/review', label: 'Review board' },
  { to: '/review/calibration', label: 'Calibration' },
  { to: '/review/memory', label: 'Memory' },
  { to: '/review/cases', label: 'Cases' },
  { to: '/system', label: 'System status' },
  { to: '/system/usage', label: 'Usage' },
  { to: '/system/schedules', label: 'Schedules' },
  { to: '/system/tokens', label: 'API tokens', admin: true },
  { to: '/system/audit', label: 'Audit log', admin: true },
  { to: '/system/notifications', label: 'Notifications', admin: true },
  { to: '/system/configuration', label: 'Configuration', admin: true },
];

/** Returns the pages that the viewer may open. */
export function pageEntries(isAdmin: boolean, navigate: (to: string) => void): PaletteEntry[] {
  return PAGES.filter(({ admin }) => isAdmin || admin !== true).map(({ to, label }) => ({
    id: `page ${to}`,
    group: 'Pages',
    label,
    note: '',
    run: () => navigate(to),
  }));
}

/** Returns the actions that have a key on the current page, its own actions first. The page's own key wins. */
export function actionEntries(groups: readonly ShortcutGroup[]): PaletteEntry[] {
  return [...groups]
    .reverse()
    .flatMap(({ title, shortcuts }) =>
      shortcuts.flatMap(({ key, label, run }) =>
        run === undefined || key === PALETTE_KEY
          ? []
          : [{ id: `action ${title} ${key}`, group: 'Actions', label, note: key, run }],
      ),
    );
}

/**
 * Returns the found sessions and alert groups. Titles with the query come first, because the server also searches texts
 * that the palette does not show.
 */
export function matchEntries(
  found: PaletteMatchesQuery,
  query: string,
  navigate: (to: string) => void,
): PaletteEntry[] {
  const sessions = found.sessions.nodes.map(({ id, title, status, report }) => ({
    id: `session ${id}`,
    group: 'Sessions',
    label: title,
    note: report === null ? statusLook[status].label : VERDICTS[report.verdict].label,
    run: () => navigate(sessionPath(id)),
  }));
  const groups = found.alertGroups.nodes.map(({ id, title, state }) => ({
    id: `group ${id}`,
    group: 'Alert groups',
    label: title,
    note: state === 'FIRING' ? 'Firing' : 'Resolved',
    run: () => navigate(groupPath(id)),
  }));
  const ranked = (all: PaletteEntry[]): PaletteEntry[] =>
    all.toSorted((a, b) => Number(isMatch(b.label, query)) - Number(isMatch(a.label, query)));
  return [...ranked(sessions), ...ranked(groups)];
}

/** True if the label has every word of the query, in any order. */
export function isMatch(label: string, query: string): boolean {
  const text = label.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
