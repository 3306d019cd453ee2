import type { AuditEventsQueryVariables } from '../../graphql/gen/documents.ts';
import { FIRST_PAGE, formatPage, type ListPage, pageVariables, parsePage } from '../../lib/list-page.ts';
import { endsOf, formatPeriod, isOpen, type Period, parsePeriod } from '../../lib/within.ts';

/** Which changes the page shows: all of it is in its address. `from` and `to`: made between them. */
export interface AuditView extends Period, ListPage {
  /** Whole name; empty: of anybody. */
  readonly actor: string;
  readonly action: readonly string[];
  /** Id of what was changed, as the API gives it; empty: anything. */
  readonly target: string;
}

/** What an address says; what it says wrong counts as not said. */
export function parseView(params: URLSearchParams): AuditView {
  return {
    actor: params.get('who') ?? '',
    action: params.getAll('action'),
    target: params.get('object') ?? '',
    ...parsePeriod(params),
    ...parsePage(params),
  };
}

/** The address of a view: only what differs from the usual. */
export function formatView(view: AuditView): URLSearchParams {
  const params = new URLSearchParams();
  if (view.actor !== '') params.set('who', view.actor);
  for (const action of view.action) params.append('action', action);
  if (view.target !== '') params.set('object', view.target);
  formatPeriod(view, params);
  formatPage(view, params);
  return params;
}

/** The view after a change: what changes the list begins at its first page. */
export function changeView(view: AuditView, change: Partial<AuditView>): AuditView {
  return { ...view, ...FIRST_PAGE, ...change };
}

/** The view without its conditions; the page size is kept. */
export function withoutFilters({ size }: AuditView): AuditView {
  return { ...parseView(new URLSearchParams()), size };
}

/** Conditions that hold something back. */
export function countFilters(view: AuditView): number {
  const { actor, action, target } = view;
  return [actor !== '', action.length > 0, target !== '', !isOpen(view)].filter(Boolean).length;
}

/** What to ask the API for; `now` in ms is what relative times count from. */
export function viewVariables(view: AuditView, now: number): AuditEventsQueryVariables {
  const { actor, action, target } = view;
  return {
    ...pageVariables(view),
    actor: actor === '' ? null : [actor],
    action: [...action],
    targetId: target === '' ? null : target,
    ...endsOf(view, now),
  };
}

/** Shows another view, which the browser can go back from. */
export type ChangeView = (change: Partial<AuditView>) => void;
