import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import type { SyntheticEvent } from 'react';
import type { QualityRating, SessionReviewFragment } from '../../graphql/gen/documents.ts';
import { useKeptState } from '../../lib/kept-state.ts';
import { RATINGS } from './review-labels.ts';
import type { ReviewChange } from './use-review.ts';

/** Maximum length of each text in UTF-16 code units, as in the API. */
const LONGEST = 10_000;

interface Props {
  /** Key for `useKeptState`, which keeps the draft. */
  readonly keptAs: string;
  readonly review: Pick<SessionReviewFragment, 'status' | 'rating' | 'feedback' | 'actionTaken'>;
  /** The rating to start with; `null` keeps the review's own. */
  readonly begin: QualityRating | null;
  readonly sending: boolean;
  readonly send: (change: ReviewChange) => void;
  readonly close: () => void;
}

/** The form for a rating, the actual cause and the action taken. */
export function ReviewForm({ keptAs, review, begin, sending, send, close }: Props) {
  const [draft, setDraft] = useKeptState(keptAs, {
    rating: begin ?? review.rating,
    feedback: review.feedback ?? '',
    actionTaken: review.actionTaken ?? '',
  });
  const { rating, feedback, actionTaken } = draft;
  const set = (part: Partial<typeof draft>): void => setDraft((now) => ({ ...now, ...part }));
  const action = review.status === 'REVIEWED' ? 'UPDATE_FEEDBACK' : 'COMPLETE';
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!sending) send({ action, rating, feedback, actionTaken });
  };
  const slotProps = { htmlInput: { maxLength: LONGEST } };
  return (
    <Box component="form" noValidate onSubmit={submit} sx={{ display: 'grid', gap: 1.5 }}>
      <ToggleButtonGroup
        exclusive
        size="small"
        aria-label="Was it right?"
        value={rating}
        onChange={(_event, chosen: QualityRating | null) => set({ rating: chosen ?? rating })}
      >
        {Object.entries(RATINGS).map(([value, { label }]) => (
          <ToggleButton key={value} value={value} sx={{ px: 2, textTransform: 'none' }}>
            {label}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <TextField
        label={rating === 'ACCURATE' ? 'Anything to add?' : 'What was it really?'}
        multiline
        maxRows={10}
        autoFocus
        value={feedback}
        onChange={(event) => set({ feedback: event.target.value })}
        slotProps={slotProps}
      />
      <TextField
        label="What was done about it?"
        multiline
        maxRows={10}
        value={actionTaken}
        onChange={(event) => set({ actionTaken: event.target.value })}
        slotProps={slotProps}
      />
      <Box sx={{ display: 'flex', gap: 1 }}>
        <Button type="submit" variant="contained" loading={sending} disabled={rating === null}>
          Save review
        </Button>
        <Button onClick={close}>Back</Button>
      </Box>
    </Box>
  );
}
