import { SEVERITIES } from '../../components/severity.tsx';
import type {
  BoardCardFragment,
  QualityRating,
  ReviewBoardQueryVariables,
  SessionFilter,
  Severity,
  VerdictKind,
} from '../../graphql/gen/documents.ts';
import { formatPeriod, isAnyTime, type Period, parsePeriod, periodBounds } from '../../lib/period.ts';
import { isLongEnough } from '../../lib/search.ts';
import { VERDICT_KINDS } from '../report/verdict.tsx';
import { RATINGS } from './review-labels.ts';

/** The columns, ordered from running investigations to finished reviews. */
export const COLUMNS = ['running', 'waiting', 'begun', 'done'] as const;
export type Column = (typeof COLUMNS)[number];

export const COLUMN_NAMES: Readonly<Record<Column, string>> = {
  running: 'Investigating',
  waiting: 'Needs review',
  begun: 'In review',
  done: 'Reviewed',
};

/** Ways to group the cards of a column. */
export const GROUPINGS = { type: 'Alert type', severity: 'Severity' } as const;
export type Grouping = keyof typeof GROUPINGS;

/** The view of the board; the page's URL contains all of it. `from` and `to` limit the time of submission. */
export interface BoardView extends Period {
  readonly search: string;
  readonly severity: readonly Severity[];
  readonly alertType: readonly string[];
  readonly verdict: readonly VerdictKind[];
  /** Names of reviewers; filters only the columns of begun and completed reviews. */
  readonly reviewer: readonly string[];
  /** Ratings; filters only the column of completed reviews. */
  readonly rating: readonly QualityRating[];
  readonly group: Grouping | null;
  /** The only column that a phone shows. */
  readonly column: Column;
}

const LISTS = {
  severity: 'severity',
  type: 'alertType',
  verdict: 'verdict',
  reviewer: 'reviewer',
  rating: 'rating',
} as const;
const WORDS: ReadonlySet<string> = new Set(['severity', 'verdict', 'rating']);
const DEFAULT_COLUMN: Column = 'waiting';

/** Reads the view from the URL; invalid values are ignored. */
export function parseBoard(params: URLSearchParams): BoardView {
  const ratings = Object.keys(RATINGS) as QualityRating[];
  const group = params.get('group') ?? '';
  return {
    search: params.get('q') ?? '',
    severity: SEVERITIES.filter((severity) => params.getAll('severity').includes(severity.toLowerCase())),
    alertType: params.getAll('type'),
    verdict: VERDICT_KINDS.filter((verdict) => params.getAll('verdict').includes(verdict.toLowerCase())),
    reviewer: params.getAll('reviewer'),
    rating: ratings.filter((rating) => params.getAll('rating').includes(rating.toLowerCase())),
    group: Object.hasOwn(GROUPINGS, group) ? (group as Grouping) : null,
    column: COLUMNS.find((column) => column === params.get('column')) ?? DEFAULT_COLUMN,
    ...parsePeriod(params),
  };
}

/** Returns the URL parameters of a view, without default values. */
export function formatBoard(view: BoardView): URLSearchParams {
  const params = new URLSearchParams();
  if (view.search !== '') params.set('q', view.search);
  for (const [name, key] of Object.entries(LISTS)) {
    for (const value of view[key]) params.append(name, WORDS.has(key) ? value.toLowerCase() : value);
  }
  formatPeriod(view, params);
  if (view.group !== null) params.set('group', view.group);
  if (view.column !== DEFAULT_COLUMN) params.set('column', view.column);
  return params;
}

/** Returns the view without search and filters; grouping and column stay. */
export function withoutFilters({ group, column }: BoardView): BoardView {
  return { ...parseBoard(new URLSearchParams()), group, column };
}

/** Returns the number of active filters: each non-empty list, the period, and a search that is long enough. */
export function countFilters(view: BoardView): number {
  const { search, severity, alertType, verdict, reviewer, rating } = view;
  const lists = [severity, alertType, verdict, reviewer, rating].filter((list) => list.length > 0).length;
  return lists + [!isAnyTime(view), isLongEnough(search)].filter(Boolean).length;
}

/** Number of cards to read per column. */
export type Sizes = Readonly<Record<Column, number>>;

/** Returns the query's variables. `now` (ms) is the reference for relative periods. */
export function boardVariables(view: BoardView, sizes: Sizes, now: number): ReviewBoardQueryVariables {
  const { from, to } = periodBounds(view, now);
  const all: SessionFilter = {
    severity: view.severity,
    alertType: view.alertType,
    search: isLongEnough(view.search) ? view.search.trim() : null,
    createdAfter: from,
    createdBefore: to,
  };
  const ended: SessionFilter = { ...all, verdict: view.verdict };
  const begun: SessionFilter = { ...ended, assignee: view.reviewer };
  return {
    running: { ...all, status: ['PENDING', 'IN_PROGRESS', 'WAITING_FOR_APPROVAL', 'CANCELLING'] },
    waiting: { ...ended, reviewStatus: ['NEEDS_REVIEW'] },
    begun: { ...begun, reviewStatus: ['IN_PROGRESS'] },
    done: { ...begun, reviewStatus: ['REVIEWED'], rating: view.rating },
    firstRunning: sizes.running,
    firstWaiting: sizes.waiting,
    firstBegun: sizes.begun,
    firstDone: sizes.done,
  };
}

export interface CardGroup {
  readonly name: string;
  readonly cards: readonly BoardCardFragment[];
}

/** Groups a column's cards by alert type, in the order of each type's first card, or by severity, the worst first. */
export function groupCards(cards: readonly BoardCardFragment[], by: Grouping): readonly CardGroup[] {
  const groups = Map.groupBy(cards, (card) => (by === 'type' ? card.alertType : card.severity));
  const names =
    by === 'severity' ? SEVERITIES.filter((severity) => groups.has(severity)) : [...groups.keys()];
  return names.map((name) => ({ name, cards: groups.get(name) ?? [] }));
}
