import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { Loading } from '../../components/loading.tsx';
import type { SessionOrderField } from '../../graphql/gen/documents.ts';
import { HistoryRow } from './history-row.tsx';
import { historyRow } from './history-styles.ts';
import { isSearching } from './list-view.ts';
import type { HistoryFeed } from './use-history.ts';
import type { ListViewState } from './use-list-view.ts';

interface Column {
  readonly name: string;
  /** What the API can sort by. */
  readonly field?: SessionOrderField;
  readonly right?: true;
}

export const COLUMNS: readonly Column[] = [
  { name: 'Status', field: 'STATUS' },
  { name: 'Alert' },
  { name: 'Type', field: 'ALERT_TYPE' },
  { name: 'Author', field: 'AUTHOR' },
  { name: 'Created', field: 'CREATED_AT' },
  { name: 'Duration', field: 'DURATION', right: true },
  { name: 'Tokens', right: true },
];

/** Finished sessions: a table where there is room, one block a session on a phone. */
export function HistoryTable({ feed, list }: { feed: HistoryFeed; list: ListViewState }) {
  const { page, shown, error, stale } = feed;
  if (page === null) {
    return error ? null : <Loading label="Loading the history" height={240} />;
  }
  // The rows may still be those of the search before.
  const search = shown !== null && isSearching(shown) ? shown.search.trim() : '';
  return (
    <Paper role="table" aria-label="Finished sessions" aria-busy={stale}>
      <Box role="row" sx={[historyRow, head]}>
        {COLUMNS.map((column) => (
          <Header key={column.name} column={column} list={list} />
        ))}
      </Box>
      {page.nodes.map((session) => (
        <HistoryRow key={session.id} session={session} search={search} />
      ))}
    </Paper>
  );
}

function Header({
  column: { name, field, right },
  list: { view, change },
}: {
  column: Column;
  list: ListViewState;
}) {
  const sorted = field === view.field;
  const direction = sorted && view.direction === 'DESC' ? 'ASC' : 'DESC';
  const arrow = view.direction === 'ASC' ? ' ↑' : ' ↓';
  return (
    <Box
      role="columnheader"
      aria-sort={sorted ? (view.direction === 'ASC' ? 'ascending' : 'descending') : undefined}
      sx={{ textAlign: right ? 'right' : 'left', whiteSpace: 'nowrap' }}
    >
      {field === undefined ? (
        name
      ) : (
        <Box component="button" type="button" onClick={() => change({ field, direction })} sx={sortButton}>
          {name}
          <span aria-hidden="true">{sorted ? arrow : ''}</span>
        </Box>
      )}
    </Box>
  );
}

const head = {
  display: { xs: 'none', md: 'grid' },
  fontSize: '0.75rem',
  fontWeight: 600,
  color: 'text.secondary',
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
