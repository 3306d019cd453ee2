import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import { memo } from 'react';
import { RowLink, rowHover } from '../../components/row-link.tsx';
import { KnownSeverity } from '../../components/severity.tsx';
import { StatusChip } from '../../components/status-chip.tsx';
import { Ago } from '../../components/time.tsx';
import type { BoardCardFragment } from '../../graphql/gen/documents.ts';
import { plainPreview } from '../../lib/data-text.ts';
import { sessionPath } from '../../lib/paths.ts';
import { percent } from '../report/report-text.ts';
import { VerdictChip } from '../report/verdict.tsx';
import { RATINGS } from './review-labels.ts';

/** HTML attribute with the id of a card's session; the keyboard shortcuts find cards by it. */
export const CARD_ATTRIBUTE = 'data-card';

interface Props {
  readonly card: BoardCardFragment;
  readonly selected: boolean;
  readonly onToggle: (id: string) => void;
}

/** A session on the board. The card links to the session; its checkbox selects it. */
export const BoardCard = memo(function BoardCard({ card, selected, onToggle }: Props) {
  const { id, title, severity, status, alertType, report, review } = card;
  const preview = plainPreview(report?.headline ?? card.executiveSummary ?? card.errorMessage ?? '', 200);
  return (
    <Box component="li" {...{ [CARD_ATTRIBUTE]: id }} sx={[frame, rowHover, selected && selectedCard]}>
      {review === null ? null : (
        <Checkbox
          size="small"
          checked={selected}
          onChange={() => onToggle(id)}
          slotProps={{ input: { 'aria-label': `Select ${title}` } }}
          sx={box}
        />
      )}
      <Box sx={{ minWidth: 0, flex: 1 }}>
        <RowLink to={sessionPath(id)}>{title}</RowLink>
        <Box sx={facts}>
          <KnownSeverity severity={severity} />
          {report === null ? null : (
            <>
              <VerdictChip verdict={report.verdict} />
              <span>{percent(report.confidence)} confidence</span>
            </>
          )}
          {status === 'COMPLETED' ? null : <StatusChip status={status} />}
          <Box component="span" sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
            {alertType}
          </Box>
          <Ago time={card.completedAt ?? card.createdAt} />
        </Box>
        {preview === '' ? null : <Box sx={clampedText}>{preview}</Box>}
        <ReviewMark review={review} />
      </Box>
    </Box>
  );
});

/** Shows the current reviewer's name, or the result of a completed review. */
function ReviewMark({ review }: Pick<BoardCardFragment, 'review'>) {
  if (review === null || review.status === 'NEEDS_REVIEW') return null;
  const { status, rating, assignee, feedback } = review;
  if (status === 'IN_PROGRESS') return <Box sx={mark}>In review by {assignee}</Box>;
  return (
    <Box sx={mark}>
      {rating === null ? (
        'Closed without rating'
      ) : (
        <Box component="span" sx={{ fontWeight: 600, color: `status.${RATINGS[rating].tone}` }}>
          {RATINGS[rating].label}
        </Box>
      )}
      , by {assignee}
      {feedback === null || feedback === '' ? null : <Box sx={clampedText}>{feedback}</Box>}
    </Box>
  );
}

const frame = {
  position: 'relative',
  display: 'flex',
  alignItems: 'flex-start',
  px: 1.25,
  py: 1,
  '& + &': { borderTop: 1, borderColor: 'divider' },
} as const;
const selectedCard = {
  bgcolor: 'color-mix(in srgb, var(--mui-palette-primary-main) 9%, var(--mui-palette-background-paper))',
} as const;
// Places the checkbox above the link that covers the card, and makes it large enough to touch.
const box = { zIndex: 1, p: 0.75, ml: -0.75, mt: -0.75, mr: 0.25, flex: 'none' } as const;
const facts = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1,
  rowGap: 0.25,
  mt: 0.25,
  fontSize: '0.75rem',
  color: 'text.secondary',
} as const;
const clampedText = {
  mt: 0.25,
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: 2,
  overflow: 'hidden',
  overflowWrap: 'anywhere',
  fontSize: '0.8125rem',
  color: 'text.secondary',
} as const;
const mark = { mt: 0.25, fontSize: '0.8125rem', overflowWrap: 'anywhere' } as const;
