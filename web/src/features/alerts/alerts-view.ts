import { SEVERITIES } from '../../components/severity.tsx';
import type { AlertGroupsQueryVariables, AlertState, Severity } from '../../graphql/gen/documents.ts';
import { FIRST_PAGE, formatPage, type ListPage, pageVariables, parsePage } from '../../lib/list-page.ts';
import { formatPeriod, isAnyTime, type Period, parsePeriod, periodBounds } from '../../lib/period.ts';
import { isLongEnough } from '../../lib/search.ts';

/** The view of the alert groups, stored in the page's URL. `from` and `to` limit the time of the last delivery. */
export interface AlertsView extends Period, ListPage {
  readonly search: string;
  readonly state: AlertState | null;
  readonly severity: readonly Severity[];
  readonly source: readonly string[];
  readonly alertType: readonly string[];
  /** Full name of a team; '' = the groups of all teams. */
  readonly team: string;
}

export const STATES: readonly AlertState[] = ['FIRING', 'RESOLVED'];

const LISTS = { severity: 'severity', source: 'source', type: 'alertType' } as const;

export function parseView(params: URLSearchParams): AlertsView {
  const upperCaseValues = (name: string): string[] => params.getAll(name).map((value) => value.toUpperCase());
  return {
    search: params.get('q') ?? '',
    state: STATES.find((state) => upperCaseValues('state').includes(state)) ?? null,
    severity: SEVERITIES.filter((severity) => upperCaseValues('severity').includes(severity)),
    source: params.getAll('source'),
    alertType: params.getAll('type'),
    team: params.get('team') ?? '',
    ...parsePeriod(params),
    ...parsePage(params),
  };
}

export function formatView(view: AlertsView): URLSearchParams {
  const params = new URLSearchParams();
  if (view.search !== '') params.set('q', view.search);
  if (view.state !== null) params.set('state', view.state);
  for (const [name, key] of Object.entries(LISTS)) for (const value of view[key]) params.append(name, value);
  if (view.team !== '') params.set('team', view.team);
  formatPeriod(view, params);
  formatPage(view, params);
  return params;
}

export function changeView(view: AlertsView, change: Partial<AlertsView>): AlertsView {
  return { ...view, ...FIRST_PAGE, ...change };
}

/** Returns the view without search and filters; the page size stays. */
export function withoutFilters({ size }: AlertsView): AlertsView {
  return { ...parseView(new URLSearchParams()), size };
}

export function countFilters(view: AlertsView): number {
  const { search, state, severity, source, alertType, team } = view;
  const lists = [severity, source, alertType].filter((list) => list.length > 0).length;
  const others = [state !== null, team !== '', !isAnyTime(view), isLongEnough(search)].filter(Boolean).length;
  return lists + others;
}

/** Returns the query's variables. `now` (ms) is the reference for relative periods. */
export function viewVariables(view: AlertsView, now: number): AlertGroupsQueryVariables {
  const { from, to } = periodBounds(view, now);
  const filter = {
    state: view.state,
    severity: view.severity,
    source: view.source,
    alertType: view.alertType,
    team: view.team === '' ? null : [view.team],
    search: isLongEnough(view.search) ? view.search.trim() : null,
    since: from,
    before: to,
  };
  return { ...pageVariables(view), filter };
}
