import { SEVERITIES } from '../../components/severity.tsx';
import type {
  OrderDirection,
  QualityRating,
  ReviewStatus,
  SessionFilter,
  SessionHistoryQueryVariables,
  SessionOrderField,
  SessionStatus,
  Severity,
  VerdictKind,
} from '../../graphql/gen/documents.ts';
import { FIRST_PAGE, formatPage, type ListPage, pageVariables, parsePage } from '../../lib/list-page.ts';
import { formatPeriod, isAnyTime, type Period, parsePeriod, periodBounds } from '../../lib/period.ts';
import { isLongEnough } from '../../lib/search.ts';
import { VERDICT_KINDS } from '../report/verdict.tsx';
import { QUALITY_RATINGS } from '../review/review-labels.ts';

/**
 * The view of the finished sessions; the page's URL contains all of it. `from` and `to` limit the time of submission.
 */
export interface ListView extends Period, ListPage {
  readonly search: string;
  readonly status: readonly SessionStatus[];
  readonly severity: readonly Severity[];
  readonly alertType: readonly string[];
  readonly team: readonly string[];
  readonly chainId: readonly string[];
  readonly author: readonly string[];
  readonly verdict: readonly VerdictKind[];
  readonly label: readonly string[];
  readonly review: readonly ReviewStatus[];
  readonly rating: readonly QualityRating[];
  readonly field: SessionOrderField;
  readonly direction: OrderDirection;
}

export const REVIEW_STATUSES: readonly ReviewStatus[] = ['NEEDS_REVIEW', 'IN_PROGRESS', 'REVIEWED'];

export const FINISHED: readonly SessionStatus[] = ['COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED'];

const SORT_FIELDS = {
  created: 'CREATED_AT',
  status: 'STATUS',
  type: 'ALERT_TYPE',
  author: 'AUTHOR',
  duration: 'DURATION',
} as const satisfies Record<string, SessionOrderField>;

const FILTERS = {
  status: 'status',
  severity: 'severity',
  type: 'alertType',
  team: 'team',
  chain: 'chainId',
  author: 'author',
  verdict: 'verdict',
  label: 'label',
  review: 'review',
  rating: 'rating',
} as const;

const FILTER_KEYS = Object.values(FILTERS);

/** Filters whose values are enums; the URL has them in lower case. */
const ENUM_FILTERS: ReadonlySet<string> = new Set(['status', 'severity', 'verdict', 'review', 'rating']);

/** Reads the view from the URL; invalid values are ignored. */
export function parseView(params: URLSearchParams): ListView {
  const field = params.get('sort') ?? '';
  return {
    search: params.get('q') ?? '',
    status: FINISHED.filter((status) => params.getAll('status').includes(status.toLowerCase())),
    severity: SEVERITIES.filter((severity) => params.getAll('severity').includes(severity.toLowerCase())),
    alertType: params.getAll('type'),
    team: params.getAll('team'),
    chainId: params.getAll('chain'),
    author: params.getAll('author'),
    verdict: VERDICT_KINDS.filter((verdict) => params.getAll('verdict').includes(verdict.toLowerCase())),
    label: params.getAll('label'),
    review: REVIEW_STATUSES.filter((status) => params.getAll('review').includes(status.toLowerCase())),
    rating: QUALITY_RATINGS.filter((rating) => params.getAll('rating').includes(rating.toLowerCase())),
    ...parsePeriod(params),
    field: Object.hasOwn(SORT_FIELDS, field) ? SORT_FIELDS[field as keyof typeof SORT_FIELDS] : 'CREATED_AT',
    direction: params.get('dir') === 'asc' ? 'ASC' : 'DESC',
    ...parsePage(params),
  };
}

/** Returns the URL parameters of a view, without default values. */
export function formatView(view: ListView): URLSearchParams {
  const params = new URLSearchParams();
  if (view.search !== '') params.set('q', view.search);
  for (const [name, key] of Object.entries(FILTERS)) {
    for (const value of view[key]) params.append(name, ENUM_FILTERS.has(key) ? value.toLowerCase() : value);
  }
  formatPeriod(view, params);
  const sort = Object.entries(SORT_FIELDS).find(([, field]) => field === view.field)?.[0];
  if (sort !== undefined && view.field !== 'CREATED_AT') params.set('sort', sort);
  if (view.direction === 'ASC') params.set('dir', 'asc');
  formatPage(view, params);
  return params;
}

export const DEFAULT_VIEW: ListView = parseView(new URLSearchParams());

/** Returns the view with the change applied, at its first page unless the change names another. */
export function changeView(view: ListView, change: Partial<ListView>): ListView {
  return { ...view, ...FIRST_PAGE, ...change };
}

/** Returns the view without search and filters; order and page size stay. */
export function withoutFilters({ field, direction, size }: ListView): ListView {
  return { ...DEFAULT_VIEW, field, direction, size };
}

/** Returns the number of active filters, without the search. */
export function countFilters(view: ListView): number {
  return FILTER_KEYS.filter((key) => view[key].length > 0).length + (isAnyTime(view) ? 0 : 1);
}

export function isFiltered(view: ListView): boolean {
  return countFilters(view) > 0 || isSearching(view);
}

/** True if the search text is long enough for the API. */
export function isSearching({ search }: ListView): boolean {
  return isLongEnough(search);
}

/** Returns the query's variables. `now` (ms) is the reference for relative periods. */
export function viewVariables(view: ListView, now: number): SessionHistoryQueryVariables {
  const { from, to } = periodBounds(view, now);
  const searching = isSearching(view);
  const filter: SessionFilter = {
    status: view.status.length > 0 ? view.status : FINISHED,
    severity: view.severity,
    alertType: view.alertType,
    chainId: view.chainId,
    author: view.author,
    verdict: view.verdict,
    labels: view.label,
    team: view.team,
    reviewStatus: view.review,
    rating: view.rating,
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
