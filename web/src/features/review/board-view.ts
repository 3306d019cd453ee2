import { SEVERITIES } from '../../components/severity.tsx';
import type {
  BoardCardFragment,
  QualityRating,
  ReviewBoardQueryVariables,
  SessionFilter,
  Severity,
  VerdictKind,
} from '../../graphql/gen/documents.ts';
import { isLongEnough } from '../../lib/search.ts';
import { endsOf, formatPeriod, isOpen, type Period, parsePeriod } from '../../lib/within.ts';
import { VERDICT_KINDS } from '../report/verdict.tsx';
import { RATINGS } from './review-labels.ts';

/** The columns, from an investigation's beginning to what people said of it. */
export const COLUMNS = ['running', 'waiting', 'begun', 'done'] as const;
export type Column = (typeof COLUMNS)[number];

export const COLUMN_NAMES: Readonly<Record<Column, string>> = {
  running: 'Investigating',
  waiting: 'Needs review',
  begun: 'In review',
  done: 'Reviewed',
};

/** What cards of a column are put together by. */
export const GROUPINGS = { type: 'Alert type', severity: 'Severity' } as const;
export type Grouping = keyof typeof GROUPINGS;

/** What the board shows: all of it is in the page's address. `from` and `to`: submitted between them. */
export interface BoardView extends Period {
  readonly search: string;
  readonly severity: readonly Severity[];
  readonly alertType: readonly string[];
  readonly verdict: readonly VerdictKind[];
  /** Of what somebody reviews or has reviewed; the other columns have none. */
  readonly reviewer: readonly string[];
  /** Of what is reviewed. */
  readonly rating: readonly QualityRating[];
  readonly group: Grouping | null;
  /** The one that a phone shows. */
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
const USUAL_COLUMN: Column = 'waiting';

/** What an address says; what it says wrong counts as not said. */
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
    column: COLUMNS.find((column) => column === params.get('column')) ?? USUAL_COLUMN,
    ...parsePeriod(params),
  };
}

/** The address of a view: only what differs from the usual. */
export function formatBoard(view: BoardView): URLSearchParams {
  const params = new URLSearchParams();
  if (view.search !== '') params.set('q', view.search);
  for (const [name, key] of Object.entries(LISTS)) {
    for (const value of view[key]) params.append(name, WORDS.has(key) ? value.toLowerCase() : value);
  }
  formatPeriod(view, params);
  if (view.group !== null) params.set('group', view.group);
  if (view.column !== USUAL_COLUMN) params.set('column', view.column);
  return params;
}

/** The view without its conditions; how it is arranged is kept. */
export function withoutFilters({ group, column }: BoardView): BoardView {
  return { ...parseBoard(new URLSearchParams()), group, column };
}

/** Conditions that hold something back. */
export function countFilters(view: BoardView): number {
  const { search, severity, alertType, verdict, reviewer, rating } = view;
  const lists = [severity, alertType, verdict, reviewer, rating].filter((list) => list.length > 0).length;
  return lists + [!isOpen(view), isLongEnough(search)].filter(Boolean).length;
}

/** Cards of each column that are asked for. */
export type Sizes = Readonly<Record<Column, number>>;

/** What to ask the API for; `now` in ms is what relative times count from. */
export function boardVariables(view: BoardView, sizes: Sizes, now: number): ReviewBoardQueryVariables {
  const { from, to } = endsOf(view, now);
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

/** The cards of a column put together, groups in the order of their first cards; severities worst first. */
export function groupCards(cards: readonly BoardCardFragment[], by: Grouping): readonly CardGroup[] {
  const groups = Map.groupBy(cards, (card) => (by === 'type' ? card.alertType : card.severity));
  const names =
    by === 'severity' ? SEVERITIES.filter((severity) => groups.has(severity)) : [...groups.keys()];
  return names.map((name) => ({ name, cards: groups.get(name) ?? [] }));
}
