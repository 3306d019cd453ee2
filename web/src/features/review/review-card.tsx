import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { ActionButton } from '../../components/action-button.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { Ago } from '../../components/time.tsx';
import { useViewer } from '../../components/use-viewer.ts';
import type { QualityRating, SessionReviewFragment } from '../../graphql/gen/documents.ts';
import { useDraftState } from '../../lib/use-draft-state.ts';
import { ReviewForm } from './review-form.tsx';
import { ACTION_LABELS, RATINGS } from './review-labels.ts';
import { type ReviewChange, useReview } from './use-review.ts';

interface Props {
  readonly sessionId: string;
  readonly review: SessionReviewFragment;
}

/** Shows the review of an investigation and its actions. */
export function ReviewCard({ sessionId, review }: Props) {
  const { fetching, refusal, act } = useReview(sessionId);
  const [form, setForm] = useDraftState<{ begin: QualityRating | null } | null>(
    `review.${sessionId}.form`,
    null,
  );
  const send = async (change: ReviewChange): Promise<void> => {
    if (await act(change)) setForm(null);
  };
  const props = { review, fetching, act: (change: ReviewChange) => void send(change) };
  return (
    <Paper
      component="section"
      aria-label="Review"
      sx={[{ p: { xs: 1.5, sm: 2 }, mb: 2 }, review.status !== 'REVIEWED' && { displayPrint: 'none' }]}
    >
      <Typography variant="h2" sx={{ mb: 1 }}>
        {review.status === 'REVIEWED' ? 'Review' : 'Was this right?'}
      </Typography>
      {form !== null ? (
        <ReviewForm
          draftKey={`review.${sessionId}`}
          review={review}
          initialRating={form.begin}
          sending={fetching}
          onSend={props.act}
          onClose={() => setForm(null)}
        />
      ) : review.status === 'REVIEWED' ? (
        <Reviewed {...props} edit={() => setForm({ begin: null })} />
      ) : (
        <Open {...props} rate={(begin) => setForm({ begin })} />
      )}
      <Box aria-live="polite">
        {refusal === undefined ? null : (
          <Alert severity="warning" sx={{ mt: 1.5 }}>
            {refusal}
          </Alert>
        )}
      </Box>
      <Activity review={review} />
    </Paper>
  );
}

interface PartProps {
  readonly review: SessionReviewFragment;
  readonly fetching: boolean;
  readonly act: (change: ReviewChange) => void;
}

function Open({ review, fetching, act, rate }: PartProps & { rate: (rating: QualityRating) => void }) {
  const viewer = useViewer();
  const { assignee } = review;
  // Without sign-in, TARSy cannot distinguish viewers, so every claimed review counts as the viewer's own.
  const isMine = assignee !== null && (viewer === null || viewer.name === assignee);
  if (assignee !== null && !isMine) {
    return (
      <Box sx={row}>
        <Box sx={{ overflowWrap: 'anywhere' }}>In review by {assignee}</Box>
        <ActionButton needs="REVIEW" loading={fetching} onClick={() => act({ action: 'UNCLAIM' })}>
          Unassign
        </ActionButton>
      </Box>
    );
  }
  return (
    <Box sx={row}>
      {Object.entries(RATINGS).map(([rating, { label }]) => (
        <ActionButton
          key={rating}
          needs="REVIEW"
          variant="outlined"
          onClick={() => rate(rating as QualityRating)}
        >
          {label}
        </ActionButton>
      ))}
      <Box sx={{ flex: 1 }} />
      <ActionButton needs="REVIEW" loading={fetching} onClick={() => act({ action: 'ACKNOWLEDGE' })}>
        Close without rating
      </ActionButton>
      <ActionButton
        needs="REVIEW"
        loading={fetching}
        onClick={() => act({ action: isMine ? 'UNCLAIM' : 'CLAIM' })}
      >
        {isMine ? 'Unassign' : 'Assign to me'}
      </ActionButton>
    </Box>
  );
}

function Reviewed({ review, fetching, act, edit }: PartProps & { edit: () => void }) {
  const { rating, assignee, reviewedAt, feedback, actionTaken } = review;
  return (
    <>
      <Box sx={row}>
        <Box sx={{ overflowWrap: 'anywhere' }}>
          <Box
            component="span"
            sx={{ fontWeight: 600, color: rating === null ? undefined : `status.${RATINGS[rating].tone}` }}
          >
            {rating === null ? 'Closed without rating' : RATINGS[rating].label}
          </Box>
          , by {assignee}
          {reviewedAt === null ? null : (
            <>
              , <Ago time={reviewedAt} />
            </>
          )}
        </Box>
        <Box sx={{ flex: 1 }} />
        <ActionButton needs="REVIEW" onClick={edit}>
          {rating === null ? 'Rate' : 'Edit'}
        </ActionButton>
        <ActionButton needs="REVIEW" loading={fetching} onClick={() => act({ action: 'REOPEN' })}>
          Reopen
        </ActionButton>
      </Box>
      <TextSection label="Actual cause" text={feedback} />
      <TextSection label="Action taken" text={actionTaken} />
    </>
  );
}

function TextSection({ label, text }: { label: string; text: string | null }) {
  if (text === null || text === '') return null;
  return (
    <Box sx={{ mt: 1 }}>
      <Typography variant="h3">{label}</Typography>
      <Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Box>
    </Box>
  );
}

function Activity({ review: { activity } }: { review: SessionReviewFragment }) {
  if (activity.length === 0) return null;
  return (
    <Box sx={{ mt: 1 }}>
      <Disclosure summary={`History (${activity.length})`}>
        <Box component="ol" sx={{ m: 0, pl: 2.5, color: 'text.secondary', overflowWrap: 'anywhere' }}>
          {activity.map(({ at, actor, action, note }) => (
            <li key={`${at} ${action}`}>
              {actor} {ACTION_LABELS[action]}
              {note === null ? '' : ` (${note})`}, <Ago time={at} />
            </li>
          ))}
        </Box>
      </Disclosure>
    </Box>
  );
}

const row = { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 } as const;
