import Box from '@mui/material/Box';
import { lazy, memo, type ReactNode, Suspense, useState } from 'react';
import { AiMark } from '../../components/ai-mark.tsx';
import { Highlight } from '../../components/highlight.tsx';
import { Labels } from '../../components/labels.tsx';
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
import { percent } from '../report/report-text.ts';
import { VerdictChip } from '../report/verdict.tsx';
import { RATINGS } from '../review/review-labels.ts';
import { HistoryRowTools } from './history-row-tools.tsx';
import { facts, historyBody, historyRow, titled } from './history-styles.ts';

const SessionPeek = lazy(() => import('./session-peek.tsx'));

type Row = SessionHistoryQuery['sessions']['nodes'][number];

interface HistoryRowProps {
  readonly session: Row;
  readonly search: string;
  readonly selected: boolean;
  /** Selects or deselects the session for a comparison; `null` if no more can be selected. */
  readonly onSelect: ((id: string) => void) | null;
}

/** A finished session, with the search matches highlighted. */
export const HistoryRow = memo(function HistoryRow(props: HistoryRowProps) {
  const { session, search, selected, onSelect } = props;
  const [open, setOpen] = useState(false);
  const { inputTokens, outputTokens, thinkingTokens, totalTokens } = session.tokenUsage;
  const tokens = `${inputTokens} in, ${outputTokens} out, ${thinkingTokens} thinking`;
  return (
    <Box role="row" sx={[historyRow, historyBody, rowHover]}>
      <HistoryRowTools
        title={session.title}
        selected={selected}
        select={onSelect && (() => onSelect(session.id))}
        open={open}
        toggle={() => setOpen(!open)}
      />
      <Cell area="status">
        {session.report === null ? (
          <StatusChip status={session.status} />
        ) : (
          <>
            <VerdictChip verdict={session.report.verdict} />
            <Box sx={secondary}>
              <span>{percent(session.report.confidence)} confidence</span>
              {session.status === 'COMPLETED' ? null : (
                <span>, {statusLook[session.status].label.toLowerCase()}</span>
              )}
            </Box>
          </>
        )}
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
        <Labels labels={session.labels} />
        <Preview session={session} search={search} />
      </Cell>
      <Cell area="kind" twoLines>
        <span>{session.alertType}</span>
        {session.team === null ? null : <span title={`Team ${session.team}`}>{session.team}</span>}
      </Cell>
      <ReviewAndScore session={session} />
      <Cell area="when" twoLines>
        <span>
          <Ago time={session.createdAt} />
        </span>
        <span title={session.author}>{session.author}</span>
      </Cell>
      <Cell area="took" twoLines>
        <span>
          <Duration start={session.startedAt} end={session.completedAt} />
        </span>
        <span title={tokens}>{formatCount(totalTokens)} tokens</span>
      </Cell>
      {open ? (
        <Box role="cell" sx={peek}>
          <Suspense>
            <SessionPeek sessionId={session.id} />
          </Suspense>
        </Box>
      ) : null}
    </Box>
  );
});

/** Shows the review's rating or reviewer, and the judge's score. */
function ReviewAndScore({ session: { review, latestScore } }: { session: Row }) {
  const reviewText = review === null ? null : reviewSummary(review);
  const score = latestScore?.status === 'COMPLETED' ? latestScore : null;
  return (
    <Cell area="review" twoLines>
      {reviewText}
      {score === null ? null : (
        <span title={`AI quality score by ${score.model ?? 'a model'}`}>
          <AiMark /> {score.total} of 100
        </span>
      )}
    </Cell>
  );
}

function reviewSummary({ status, rating, assignee }: NonNullable<Row['review']>): ReactNode {
  if (status === 'NEEDS_REVIEW') return null;
  if (status === 'IN_PROGRESS')
    return (
      <>
        <span>In review</span>
        <span title={assignee ?? ''}>{assignee}</span>
      </>
    );
  if (rating === null) return <span>Reviewed</span>;
  const { label, tone } = RATINGS[rating];
  return (
    <Box component="span" sx={{ fontWeight: 600, color: `status.${tone}` }}>
      {label}
    </Box>
  );
}

function Preview({ session, search }: { session: Row; search: string }) {
  const { status, report, executiveSummary, errorMessage, cancelReason } = session;
  // The row's status already shows the cancellation.
  const given = status === 'CANCELLED' ? cancelReason : null;
  const reason = given ?? (errorMessage === 'Cancelled.' ? null : errorMessage);
  const text = plainPreview(report?.headline ?? executiveSummary ?? reason ?? '');
  return (
    <>
      {text === '' ? null : (
        <Box sx={preview}>
          {session.executiveSummary === null ? null : (
            <>
              <AiMark byRules={session.byRules} />{' '}
            </>
          )}
          <Highlight text={text} search={search} />
        </Box>
      )}
      {search === '' || hasHit(session.title, search) || hasHit(text, search) ? null : (
        <Box sx={preview}>
          <MatchExcerpt session={session} search={search} />
        </Box>
      )}
    </>
  );
}

/** Shows where the search text occurs if the row itself does not contain it. */
function MatchExcerpt({
  session: { alertPreview, finalAnalysis },
  search,
}: {
  session: Row;
  search: string;
}) {
  const alert = excerpt(alertPreview, search);
  const words = alert ?? excerpt(finalAnalysis ?? '', search);
  // The API does not return the position of a match.
  if (words === null) return <em>Match in the full alert or the timeline.</em>;
  return (
    <>
      <em>{alert === null ? 'In the analysis:' : 'In the alert:'}</em>{' '}
      <Highlight text={words} search={search} />
    </>
  );
}

interface CellProps {
  readonly area: string;
  readonly twoLines?: boolean;
  readonly children: ReactNode;
}

function Cell({ area, twoLines = false, children }: CellProps) {
  return (
    <Box
      role="cell"
      sx={[{ gridArea: { xs: area, md: 'auto' }, minWidth: 0 }, twoLines && facts]}
      className={`cell-${area}`}
    >
      {children}
    </Box>
  );
}

// Above the link that covers the row, so that its text can be selected.
const peek = { gridColumn: '1 / -1', position: 'relative', zIndex: 1, minWidth: 0 } as const;
const secondary = {
  mt: 0.25,
  fontSize: '0.75rem',
  color: 'text.secondary',
  '& > span': { display: 'inline-block' },
} as const;
const preview = {
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: { xs: 2, md: 1 },
  overflow: 'hidden',
  overflowWrap: 'anywhere',
  maxWidth: '110ch',
  color: 'text.secondary',
} as const;
