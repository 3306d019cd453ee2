import type {
  OrderDirection,
  SessionFilter,
  SessionHistoryQueryVariables,
  SessionOrderField,
  SessionStatus,
} from '../../graphql/gen/documents.ts';
import { FIRST_PAGE, formatPage, type ListPage, pageVariables, parsePage } from '../../lib/list-page.ts';
import { isLongEnough } from '../../lib/search.ts';
import { endsOf, formatPeriod, isOpen, type Period, parsePeriod } from '../../lib/within.ts';

/** What the list of finished sessions shows: all of it is in the page's address. `from` and `to`: submitted between them. */
export interface ListView extends Period, ListPage {
  readonly search: string;
  readonly status: readonly SessionStatus[];
  readonly alertType: readonly string[];
  readonly chainId: readonly string[];
  readonly author: readonly string[];
  readonly field: SessionOrderField;
  readonly direction: OrderDirection;
}

export const FINISHED: readonly SessionStatus[] = ['COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED'];

const FIELDS = {
  created: 'CREATED_AT',
  status: 'STATUS',
  type: 'ALERT_TYPE',
  author: 'AUTHOR',
  duration: 'DURATION',
} as const satisfies Record<string, SessionOrderField>;

const LISTS = { status: 'status', type: 'alertType', chain: 'chainId', author: 'author' } as const;

/** What an address says; what it says wrong counts as not said. */
export function parseView(params: URLSearchParams): ListView {
  const field = params.get('sort') ?? '';
  return {
    search: params.get('q') ?? '',
    status: FINISHED.filter((status) => params.getAll('status').includes(status.toLowerCase())),
    alertType: params.getAll('type'),
    chainId: params.getAll('chain'),
    author: params.getAll('author'),
    ...parsePeriod(params),
    field: Object.hasOwn(FIELDS, field) ? FIELDS[field as keyof typeof FIELDS] : 'CREATED_AT',
    direction: params.get('dir') === 'asc' ? 'ASC' : 'DESC',
    ...parsePage(params),
  };
}

/** The address of a view: only what differs from the usual, so that a plain list has a plain address. */
export function formatView(view: ListView): URLSearchParams {
  const params = new URLSearchParams();
  if (view.search !== '') params.set('q', view.search);
  for (const [name, key] of Object.entries(LISTS)) {
    for (const value of view[key]) params.append(name, key === 'status' ? value.toLowerCase() : value);
  }
  formatPeriod(view, params);
  const sort = Object.entries(FIELDS).find(([, field]) => field === view.field)?.[0];
  if (sort !== undefined && view.field !== 'CREATED_AT') params.set('sort', sort);
  if (view.direction === 'ASC') params.set('dir', 'asc');
  formatPage(view, params);
  return params;
}

export const USUAL_VIEW: ListView = parseView(new URLSearchParams());

/** The view after a change: what changes the list begins at its first page. */
export function changeView(view: ListView, change: Partial<ListView>): ListView {
  return { ...view, ...FIRST_PAGE, ...change };
}

/** The view without its conditions; order and page size are kept. */
export function withoutFilters({ field, direction, size }: ListView): ListView {
  return { ...USUAL_VIEW, field, direction, size };
}

export function isFiltered(view: ListView): boolean {
  const { status, alertType, chainId, author } = view;
  const lists = [status, alertType, chainId, author].some((list) => list.length > 0);
  return lists || !isOpen(view) || isSearching(view);
}

/** Long enough for the API to look for. */
export function isSearching({ search }: ListView): boolean {
  return isLongEnough(search);
}

/** What to ask the API for; `now` in ms is what relative times count from. */
export function viewVariables(view: ListView, now: number): SessionHistoryQueryVariables {
  const { from, to } = endsOf(view, now);
  const searching = isSearching(view);
  const filter: SessionFilter = {
    status: view.status.length > 0 ? view.status : FINISHED,
    alertType: view.alertType,
    chainId: view.chainId,
    author: view.author,
    search: searching ? view.search.trim() : null,
    createdAfter: from,
    createdBefore: to,
  };
  return {
    ...pageVariables(view),
    searching,
    filter,
    orderBy: { field: view.field, direction: view.direction },
  };
}
