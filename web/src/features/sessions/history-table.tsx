import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import { memo, type ReactNode, useMemo } from 'react';
import { StatusChip } from '../../components/status-chip.tsx';
import { Ago, Duration } from '../../components/time.tsx';
import type { SessionRowFragment } from '../../graphql/gen/documents.ts';
import { alertTitle, plainPreview } from '../../lib/data-text.ts';
import { formatCount } from '../../lib/format.ts';
import { RowLink, rowHover } from './row-link.tsx';
import type { HistoryFeed } from './use-history.ts';

const columns = ['Status', 'Alert', 'Type', 'Author', 'Created', 'Duration', 'Tokens'];

/** Finished sessions: a table where there is room, one block a session on a phone. */
export function HistoryTable({ feed: { history, error, loading, loadMore } }: { feed: HistoryFeed }) {
  if (history === null) {
    return error ? null : <Skeleton variant="rounded" height={240} aria-label="Loading the history" />;
  }
  if (history.rows.length === 0) {
    return <Box sx={{ fontSize: '0.875rem', color: 'text.secondary' }}>Nothing has finished yet.</Box>;
  }
  return (
    <>
      <Paper role="table" aria-label="Finished sessions">
        <Box role="row" sx={[row, head]}>
          {columns.map((name) => (
            <Box key={name} role="columnheader" sx={{ textAlign: isNumber(name) ? 'right' : 'left' }}>
              {name}
            </Box>
          ))}
        </Box>
        {history.rows.map((session) => (
          <HistoryRow key={session.id} session={session} />
        ))}
      </Paper>
      {history.hasMore ? (
        <Box sx={{ textAlign: 'center', mt: 2 }}>
          <Button variant="outlined" loading={loading} onClick={loadMore}>
            Load more ({history.rows.length} of {history.total})
          </Button>
        </Box>
      ) : null}
    </>
  );
}

const isNumber = (name: string): boolean => name === 'Duration' || name === 'Tokens';

const HistoryRow = memo(function HistoryRow({ session }: { session: SessionRowFragment }) {
  const title = useMemo(() => alertTitle(session.alertPreview), [session.alertPreview]);
  const { inputTokens, outputTokens, thinkingTokens, totalTokens } = session.tokenUsage;
  const tokens = `${inputTokens} in, ${outputTokens} out, ${thinkingTokens} thinking`;
  return (
    <Box role="row" sx={[row, body, rowHover]}>
      <Cell area="status">
        <StatusChip status={session.status} />
      </Cell>
      <Cell area="alert">
        <RowLink id={session.id}>{title}</RowLink>
        <Preview session={session} />
      </Cell>
      <Cell area="type">{session.alertType}</Cell>
      <Cell area="author">{session.author}</Cell>
      <Cell area="created">
        <Ago time={session.createdAt} />
      </Cell>
      <Cell area="duration">
        <Duration start={session.startedAt} end={session.completedAt} />
      </Cell>
      <Cell area="tokens" title={tokens}>
        {formatCount(totalTokens)}
        <Box component="span" sx={{ display: { md: 'none' } }}>
          {' tokens'}
        </Box>
      </Cell>
    </Box>
  );
});

function Preview({ session }: { session: SessionRowFragment }) {
  const text = session.executiveSummary ?? session.errorMessage ?? '';
  if (text === '') return null;
  const failed = session.executiveSummary === null;
  return (
    <Box sx={[preview, { color: failed ? 'status.failed' : 'text.secondary' }]}>{plainPreview(text)}</Box>
  );
}

function Cell({ area, title, children }: { area: string; title?: string; children: ReactNode }) {
  return (
    <Box role="cell" title={title} sx={{ gridArea: { xs: area, md: 'auto' } }} className={`cell-${area}`}>
      {children}
    </Box>
  );
}

const row = {
  position: 'relative',
  display: 'grid',
  columnGap: { xs: 1.5, lg: 2 },
  px: 1.5,
  py: 1,
  gridTemplateColumns: {
    xs: 'auto auto minmax(56px, auto) minmax(0, 1fr)',
    md: '124px minmax(0, 1fr) 100px 104px 82px 76px 54px',
    lg: '124px minmax(0, 1fr) 150px 170px 92px 84px 60px',
  },
} as const;

const head = {
  display: { xs: 'none', md: 'grid' },
  fontSize: '0.75rem',
  fontWeight: 600,
  color: 'text.secondary',
} as const;

const body = {
  borderTop: { xs: 0, md: 1 },
  '& + &': { borderTop: 1 },
  '&, & + &': { borderColor: 'divider' },
  alignItems: 'baseline',
  rowGap: 0.5,
  gridTemplateAreas: {
    xs: '"status status created created" "alert alert alert alert" "duration tokens type author"',
    md: 'none',
  },
  fontSize: '0.8125rem',
  '& .cell-alert': { minWidth: 0 },
  '& .cell-created': { textAlign: { xs: 'right', md: 'left' } },
  '& .cell-type, & .cell-author, & .cell-created, & .cell-duration, & .cell-tokens': {
    color: 'text.secondary',
  },
  '& .cell-type, & .cell-author': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .cell-author': { textAlign: { xs: 'right', md: 'left' } },
  '& .cell-duration, & .cell-tokens': {
    textAlign: { xs: 'left', md: 'right' },
    fontVariantNumeric: 'tabular-nums',
    whiteSpace: 'nowrap',
  },
} as const;

const preview = {
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: 2,
  overflow: 'hidden',
  overflowWrap: 'anywhere',
  maxWidth: '110ch',
} as const;
