import Box from '@mui/material/Box';
import { memo, type ReactNode } from 'react';
import { AiMark } from '../../components/ai-mark.tsx';
import { Highlight } from '../../components/highlight.tsx';
import { RowLink, rowHover } from '../../components/row-link.tsx';
import { KnownSeverity } from '../../components/severity.tsx';
import { StatusChip } from '../../components/status-chip.tsx';
import { Ago, Duration } from '../../components/time.tsx';
import type { SessionHistoryQuery } from '../../graphql/gen/documents.ts';
import { plainPreview } from '../../lib/data-text.ts';
import { formatCount } from '../../lib/format.ts';
import { excerpt, hasHit } from '../../lib/highlight.ts';
import { sessionPath } from '../../lib/paths.ts';
import { statusLook } from '../../theme.ts';
import { percent } from '../report/record-words.ts';
import { VerdictChip } from '../report/verdict.tsx';
import { RATINGS } from '../review/review-words.ts';
import { historyBody, historyRow, titled } from './history-styles.ts';

type Row = SessionHistoryQuery['sessions']['nodes'][number];

/** One finished session; what was searched for is marked in it. */
export const HistoryRow = memo(function HistoryRow(props: { session: Row; search: string }) {
  const { session, search } = props;
  const { inputTokens, outputTokens, thinkingTokens, totalTokens } = session.tokenUsage;
  const tokens = `${inputTokens} in, ${outputTokens} out, ${thinkingTokens} thinking`;
  return (
    <Box role="row" sx={[historyRow, historyBody, rowHover]}>
      <Cell area="status">
        {session.report === null ? (
          <StatusChip status={session.status} />
        ) : (
          <>
            <VerdictChip verdict={session.report.verdict} />
            <Box sx={quiet}>
              {percent(session.report.confidence)} sure, {statusLook[session.status].label.toLowerCase()}
            </Box>
          </>
        )}
        <ReviewMark review={session.review} />
      </Cell>
      <Cell area="alert">
        <Box sx={titled}>
          <KnownSeverity severity={session.severity} />
          <Box sx={{ minWidth: 0 }}>
            <RowLink to={sessionPath(session.id)}>
              <Highlight text={session.title} search={search} />
            </RowLink>
          </Box>
        </Box>
        <Preview session={session} search={search} />
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

/** What people say of it, or who looks at it; nothing while nobody does. */
function ReviewMark({ review }: { review: Row['review'] }) {
  if (review === null || review.status === 'NEEDS_REVIEW') return null;
  const { rating, assignee } = review;
  const text =
    review.status === 'IN_PROGRESS'
      ? `${assignee} reviews`
      : rating === null
        ? 'Reviewed'
        : RATINGS[rating].label;
  const color = rating === null ? 'text.secondary' : `status.${RATINGS[rating].tone}`;
  return <Box sx={{ mt: 0.25, fontSize: '0.75rem', color, overflowWrap: 'anywhere' }}>{text}</Box>;
}

function Preview({ session, search }: { session: Row; search: string }) {
  const { report, executiveSummary, errorMessage } = session;
  // Its status says that already.
  const why = errorMessage === 'Cancelled.' ? null : errorMessage;
  const text = plainPreview(report?.headline ?? executiveSummary ?? why ?? '');
  return (
    <>
      {text === '' ? null : (
        <Box sx={preview}>
          {session.executiveSummary === null ? null : (
            <>
              <AiMark />{' '}
            </>
          )}
          <Highlight text={text} search={search} />
        </Box>
      )}
      {search === '' || hasHit(session.title, search) || hasHit(text, search) ? null : (
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

const quiet = { mt: 0.25, fontSize: '0.75rem', color: 'text.secondary' } as const;
const preview = {
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: { xs: 2, md: 1 },
  overflow: 'hidden',
  overflowWrap: 'anywhere',
  maxWidth: '110ch',
  color: 'text.secondary',
} as const;
