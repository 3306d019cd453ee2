import type {
  OrderDirection,
  SessionFilter,
  SessionHistoryQueryVariables,
  SessionOrderField,
  SessionStatus,
} from '../../graphql/gen/documents.ts';

/** What the list of finished sessions shows: all of it is in the page's address. */
export interface ListView {
  readonly search: string;
  readonly status: readonly SessionStatus[];
  readonly alertType: readonly string[];
  readonly chainId: readonly string[];
  readonly author: readonly string[];
  /** Submitted within this time; then `from` and `to` are null. */
  readonly within: Within | null;
  /** RFC 3339, UTC. */
  readonly from: string | null;
  readonly to: string | null;
  readonly field: SessionOrderField;
  readonly direction: OrderDirection;
  readonly size: number;
  /** Cursor that the page begins after, or ends before; both null: the first page. */
  readonly after: string | null;
  readonly before: string | null;
}

export const FINISHED: readonly SessionStatus[] = ['COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED'];
export const PAGE_SIZES: readonly number[] = [25, 50, 100];
/** The API's own limit: shorter texts have no trigram. */
export const MIN_SEARCH = 3;

const HOUR_MS = 3_600_000;
export const WITHIN = {
  '10m': { label: 'Last 10 minutes', ms: HOUR_MS / 6 },
  '1h': { label: 'Last hour', ms: HOUR_MS },
  '12h': { label: 'Last 12 hours', ms: 12 * HOUR_MS },
  '1d': { label: 'Last day', ms: 24 * HOUR_MS },
  '7d': { label: 'Last 7 days', ms: 168 * HOUR_MS },
  '30d': { label: 'Last 30 days', ms: 720 * HOUR_MS },
} as const;
export type Within = keyof typeof WITHIN;

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
  const within = params.get('within') ?? '';
  const moment = (name: string): string | null => {
    const time = Date.parse(params.get(name) ?? '');
    return Number.isNaN(time) ? null : new Date(time).toISOString();
  };
  const size = Number(params.get('size'));
  const field = params.get('sort') ?? '';
  const isRelative = Object.hasOwn(WITHIN, within);
  return {
    search: params.get('q') ?? '',
    status: FINISHED.filter((status) => params.getAll('status').includes(status.toLowerCase())),
    alertType: params.getAll('type'),
    chainId: params.getAll('chain'),
    author: params.getAll('author'),
    within: isRelative ? (within as Within) : null,
    from: isRelative ? null : moment('from'),
    to: isRelative ? null : moment('to'),
    field: Object.hasOwn(FIELDS, field) ? FIELDS[field as keyof typeof FIELDS] : 'CREATED_AT',
    direction: params.get('dir') === 'asc' ? 'ASC' : 'DESC',
    size: PAGE_SIZES.includes(size) ? size : 25,
    after: params.get('after'),
    before: params.get('after') === null ? params.get('before') : null,
  };
}

/** The address of a view: only what differs from the usual, so that a plain list has a plain address. */
export function formatView(view: ListView): URLSearchParams {
  const params = new URLSearchParams();
  if (view.search !== '') params.set('q', view.search);
  for (const [name, key] of Object.entries(LISTS)) {
    for (const value of view[key]) params.append(name, key === 'status' ? value.toLowerCase() : value);
  }
  for (const key of ['within', 'from', 'to'] as const) if (view[key] !== null) params.set(key, view[key]);
  const sort = Object.entries(FIELDS).find(([, field]) => field === view.field)?.[0];
  if (sort !== undefined && view.field !== 'CREATED_AT') params.set('sort', sort);
  if (view.direction === 'ASC') params.set('dir', 'asc');
  if (view.size !== 25) params.set('size', String(view.size));
  if (view.after !== null) params.set('after', view.after);
  if (view.before !== null) params.set('before', view.before);
  return params;
}

export const USUAL_VIEW: ListView = parseView(new URLSearchParams());

/** The view after a change: what changes the list begins at its first page. */
export function changeView(view: ListView, change: Partial<ListView>): ListView {
  return { ...view, after: null, before: null, ...change };
}

/** The view without its conditions; order and page size are kept. */
export function withoutFilters({ field, direction, size }: ListView): ListView {
  return { ...USUAL_VIEW, field, direction, size };
}

export function isFiltered(view: ListView): boolean {
  const { status, alertType, chainId, author, within, from, to } = view;
  const lists = [status, alertType, chainId, author].some((list) => list.length > 0);
  return lists || within !== null || from !== null || to !== null || isSearching(view);
}

/** Long enough for the API to look for. */
export function isSearching({ search }: ListView): boolean {
  return [...search.trim()].length >= MIN_SEARCH;
}

/** What to ask the API for; `now` in ms is what relative times count from. */
export function viewVariables(view: ListView, now: number): SessionHistoryQueryVariables {
  const { within, size, before, after } = view;
  const createdAfter = within === null ? view.from : new Date(now - WITHIN[within].ms).toISOString();
  const searching = isSearching(view);
  const filter: SessionFilter = {
    status: view.status.length > 0 ? view.status : FINISHED,
    alertType: view.alertType,
    chainId: view.chainId,
    author: view.author,
    search: searching ? view.search.trim() : null,
    createdAfter,
    createdBefore: view.to,
  };
  const page = before === null ? { first: size, after } : { last: size, before };
  return { ...page, searching, filter, orderBy: { field: view.field, direction: view.direction } };
}
