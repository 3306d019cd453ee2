import type { AuditEventsQueryVariables } from '../../graphql/gen/documents.ts';
import { FIRST_PAGE, formatPage, type ListPage, pageVariables, parsePage } from '../../lib/list-page.ts';
import { formatPeriod, isAnyTime, type Period, parsePeriod, periodBounds } from '../../lib/period.ts';

/** The view of the audit log; the page's URL contains all of it. `from` and `to` limit the time of the event. */
export interface AuditView extends Period, ListPage {
  /** Full name of the actor; '' = any actor. */
  readonly actor: string;
  readonly action: readonly string[];
  /** Global id of the target; '' = any target. */
  readonly target: string;
}

export type ChangeView = (change: Partial<AuditView>) => void;

export function parseView(params: URLSearchParams): AuditView {
  return {
    actor: params.get('who') ?? '',
    action: params.getAll('action'),
    target: params.get('object') ?? '',
    ...parsePeriod(params),
    ...parsePage(params),
  };
}

export function formatView(view: AuditView): URLSearchParams {
  const params = new URLSearchParams();
  if (view.actor !== '') params.set('who', view.actor);
  for (const action of view.action) params.append('action', action);
  if (view.target !== '') params.set('object', view.target);
  formatPeriod(view, params);
  formatPage(view, params);
  return params;
}

export function changeView(view: AuditView, change: Partial<AuditView>): AuditView {
  return { ...view, ...FIRST_PAGE, ...change };
}

/** Returns the view without filters; the page size stays. */
export function withoutFilters({ size }: AuditView): AuditView {
  return { ...parseView(new URLSearchParams()), size };
}

export function countFilters(view: AuditView): number {
  const { actor, action, target } = view;
  return [actor !== '', action.length > 0, target !== '', !isAnyTime(view)].filter(Boolean).length;
}

/** Returns the query's variables. `now` (ms) is the reference for relative periods. */
export function viewVariables(view: AuditView, now: number): AuditEventsQueryVariables {
  const { actor, action, target } = view;
  return {
    ...pageVariables(view),
    actor: actor === '' ? null : [actor],
    action: [...action],
    targetId: target === '' ? null : target,
    ...periodBounds(view, now),
  };
}
