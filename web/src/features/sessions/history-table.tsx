import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { lazy, Suspense, useState } from 'react';
import { Loading } from '../../components/loading.tsx';
import type { SessionOrderField } from '../../graphql/gen/documents.ts';
import { HistoryRow } from './history-row.tsx';
import { historyRow } from './history-styles.ts';
import { isSearching } from './list-view.ts';
import type { HistoryFeed } from './use-history.ts';
import type { ListViewState } from './use-list-view.ts';

const CompareBar = lazy(() => import('./compare-bar.tsx'));

/** Number of sessions that one comparison may have. */
const MAX_COMPARED = 4;

interface Heading {
  readonly name: string;
  /** Sort field of the API; absent if the column cannot be sorted. */
  readonly field?: SessionOrderField;
}

/** Headings of each column; a second heading names the fact in the second line. */
export const COLUMNS: readonly (readonly Heading[])[] = [
  [{ name: 'Verdict' }, { name: 'Status', field: 'STATUS' }],
  [{ name: 'Alert' }],
  [{ name: 'Alert type', field: 'ALERT_TYPE' }, { name: 'Team' }],
  [{ name: 'Rating' }],
  [
    { name: 'Submitted', field: 'CREATED_AT' },
    { name: 'Author', field: 'AUTHOR' },
  ],
  [{ name: 'Duration', field: 'DURATION' }],
];

/** Lists finished sessions: a table on wide screens, one block per session on a phone. */
export function HistoryTable({ feed, list }: { feed: HistoryFeed; list: ListViewState }) {
  const { page, shown, error, stale } = feed;
  const [compared, setCompared] = useState<readonly string[]>([]);
  if (page === null) {
    return error ? null : <Loading label="Loading history" shape="rows" />;
  }
  // The rows may still belong to the previous view, so the search text of that view is highlighted.
  const search = shown !== null && isSearching(shown) ? shown.search.trim() : '';
  const hasRating = page.nodes.some(isRated);
  const toggle = (id: string): void =>
    setCompared((ids) => (ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id]));
  return (
    <>
      <Paper
        role="table"
        aria-label="Finished sessions"
        aria-busy={stale}
        sx={hasRating ? undefined : withoutRating}
      >
        <Box role="row" sx={[historyRow, head]}>
          <Box role="columnheader" aria-label="Outcome and comparison" />
          {COLUMNS.map((column) => (
            <Header key={column[0]?.name} column={column} list={list} />
          ))}
        </Box>
        {page.nodes.map((session) => (
          <HistoryRow
            key={session.id}
            session={session}
            search={search}
            selected={compared.includes(session.id)}
            onSelect={compared.length < MAX_COMPARED || compared.includes(session.id) ? toggle : null}
          />
        ))}
      </Paper>
      {compared.length === 0 ? null : (
        <Suspense>
          <CompareBar ids={compared} clear={() => setCompared([])} />
        </Suspense>
      )}
    </>
  );
}

type Row = NonNullable<HistoryFeed['page']>['nodes'][number];

/** True if the row shows a rating, a review or a score. */
const isRated = ({ review, latestScore }: Row): boolean =>
  latestScore?.status === 'COMPLETED' || (review !== null && review.status !== 'NEEDS_REVIEW');

function Header({ column, list }: { column: readonly Heading[]; list: ListViewState }) {
  const { field, direction } = list.view;
  const sorted = column.some((each) => each.field === field);
  return (
    <Box
      role="columnheader"
      aria-sort={sorted ? (direction === 'ASC' ? 'ascending' : 'descending') : undefined}
      sx={headings}
    >
      {column.map((heading) => (
        <span key={heading.name}>
          {heading.field === undefined ? heading.name : <SortButton heading={heading} list={list} />}
        </span>
      ))}
    </Box>
  );
}

function SortButton({
  heading: { name, field },
  list: { view, change },
}: {
  heading: Heading;
  list: ListViewState;
}) {
  const sorted = field === view.field;
  const arrow = view.direction === 'ASC' ? ' ↑' : ' ↓';
  const sort = (): void => {
    if (field !== undefined)
      change({ field, direction: sorted && view.direction === 'DESC' ? 'ASC' : 'DESC' });
  };
  return (
    <Box component="button" type="button" onClick={sort} sx={sortButton}>
      {name}
      <span aria-hidden="true">{sorted ? arrow : ''}</span>
    </Box>
  );
}

// The column of ratings takes no room while no row has one.
const withoutRating = {
  '--rating': '0px',
  '--rating-narrow': '0px',
  '& [role=columnheader]:nth-of-type(5)': { visibility: 'hidden', overflow: 'hidden' },
} as const;
const head = {
  display: { xs: 'none', md: 'grid' },
  fontSize: '0.75rem',
  fontWeight: 600,
  color: 'text.secondary',
} as const;

const headings = {
  whiteSpace: 'nowrap',
  '& > span + span::before': { content: '" · "', whiteSpace: 'pre' },
  '&:last-of-type': { textAlign: 'right' },
} as const;

const sortButton = {
  p: 0,
  border: 0,
  font: 'inherit',
  color: 'inherit',
  background: 'none',
  cursor: 'pointer',
  '&:hover': { color: 'text.primary', textDecoration: 'underline' },
} as const;
