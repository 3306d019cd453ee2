import Box from '@mui/material/Box';
import { memo, type ReactNode, useMemo } from 'react';
import { Highlight } from '../../components/highlight.tsx';
import { RowLink, rowHover } from '../../components/row-link.tsx';
import { StatusChip } from '../../components/status-chip.tsx';
import { Ago, Duration } from '../../components/time.tsx';
import type { SessionHistoryQuery } from '../../graphql/gen/documents.ts';
import { alertTitle, plainPreview } from '../../lib/data-text.ts';
import { formatCount } from '../../lib/format.ts';
import { excerpt, hasHit } from '../../lib/highlight.ts';
import { sessionPath } from '../../lib/paths.ts';
import { historyBody, historyRow } from './history-styles.ts';

type Row = SessionHistoryQuery['sessions']['nodes'][number];

/** One finished session; what was searched for is marked in it. */
export const HistoryRow = memo(function HistoryRow(props: { session: Row; search: string }) {
  const { session, search } = props;
  const title = useMemo(() => alertTitle(session.alertPreview), [session.alertPreview]);
  const { inputTokens, outputTokens, thinkingTokens, totalTokens } = session.tokenUsage;
  const tokens = `${inputTokens} in, ${outputTokens} out, ${thinkingTokens} thinking`;
  return (
    <Box role="row" sx={[historyRow, historyBody, rowHover]}>
      <Cell area="status">
        <StatusChip status={session.status} />
      </Cell>
      <Cell area="alert">
        <RowLink to={sessionPath(session.id)}>
          <Highlight text={title} search={search} />
        </RowLink>
        <Preview session={session} title={title} search={search} />
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

function Preview(props: { session: Row; title: string; search: string }) {
  const { session, title, search } = props;
  const text = plainPreview(session.executiveSummary ?? session.errorMessage ?? '');
  return (
    <>
      {text === '' ? null : (
        <Box sx={preview}>
          <Highlight text={text} search={search} />
        </Box>
      )}
      {search === '' || hasHit(title, search) || hasHit(text, search) ? null : (
        <Box sx={preview}>
          <Found session={session} search={search} />
        </Box>
      )}
    </>
  );
}

/** Where the words are that the row itself does not show. */
function Found({ session: { alertPreview, finalAnalysis }, search }: { session: Row; search: string }) {
  const alert = excerpt(alertPreview, search);
  const words = alert ?? excerpt(finalAnalysis ?? '', search);
  // The API tells which sessions match, and not where.
  if (words === null) return <em>Found further down in the alert, or in the timeline.</em>;
  return (
    <>
      <em>{alert === null ? 'In the analysis:' : 'In the alert:'}</em>{' '}
      <Highlight text={words} search={search} />
    </>
  );
}

function Cell({ area, title, children }: { area: string; title?: string; children: ReactNode }) {
  return (
    <Box role="cell" title={title} sx={{ gridArea: { xs: area, md: 'auto' } }} className={`cell-${area}`}>
      {children}
    </Box>
  );
}

const preview = {
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: 2,
  overflow: 'hidden',
  overflowWrap: 'anywhere',
  maxWidth: '110ch',
  color: 'text.secondary',
} as const;
