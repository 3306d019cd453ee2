import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import type { SyntheticEvent } from 'react';
import type { QualityRating, SessionReviewFragment } from '../../graphql/gen/documents.ts';
import { useDraftState } from '../../lib/use-draft-state.ts';
import { RATINGS } from './review-labels.ts';
import type { ReviewChange } from './use-review.ts';

/** Maximum length of each text in UTF-16 code units, as in the API. */
const MAX_TEXT_LENGTH = 10_000;

interface Props {
  /** Key under which `useDraftState` keeps the draft. */
  readonly draftKey: string;
  readonly review: Pick<SessionReviewFragment, 'status' | 'rating' | 'feedback' | 'actionTaken'>;
  /** Rating that is selected at first; `null` selects the review's current rating. */
  readonly initialRating: QualityRating | null;
  readonly sending: boolean;
  readonly onSend: (change: ReviewChange) => void;
  readonly onClose: () => void;
}

/** The form for a rating, the actual cause and the action taken. */
export function ReviewForm({ draftKey, review, initialRating, sending, onSend, onClose }: Props) {
  const [draft, setDraft] = useDraftState(draftKey, {
    rating: initialRating ?? review.rating,
    feedback: review.feedback ?? '',
    actionTaken: review.actionTaken ?? '',
  });
  const { rating, feedback, actionTaken } = draft;
  const update = (part: Partial<typeof draft>): void => setDraft((now) => ({ ...now, ...part }));
  const action = review.status === 'REVIEWED' ? 'UPDATE_FEEDBACK' : 'COMPLETE';
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!sending) onSend({ action, rating, feedback, actionTaken });
  };
  const slotProps = { htmlInput: { maxLength: MAX_TEXT_LENGTH } };
  return (
    <Box component="form" noValidate onSubmit={submit} sx={{ display: 'grid', gap: 1.5 }}>
      <ToggleButtonGroup
        exclusive
        size="small"
        aria-label="Was this right?"
        value={rating}
        onChange={(_event, chosen: QualityRating | null) => update({ rating: chosen ?? rating })}
      >
        {Object.entries(RATINGS).map(([value, { label }]) => (
          <ToggleButton key={value} value={value} sx={{ px: 2, textTransform: 'none' }}>
            {label}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <TextField
        label={rating === 'ACCURATE' ? 'Comment (optional)' : 'Actual cause'}
        multiline
        maxRows={10}
        autoFocus
        value={feedback}
        onChange={(event) => update({ feedback: event.target.value })}
        slotProps={slotProps}
      />
      <TextField
        label="Action taken"
        multiline
        maxRows={10}
        value={actionTaken}
        onChange={(event) => update({ actionTaken: event.target.value })}
        slotProps={slotProps}
      />
      <Box sx={{ display: 'flex', gap: 1 }}>
        <Button type="submit" variant="contained" loading={sending} disabled={rating === null}>
          Save review
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </Box>
    </Box>
  );
}
