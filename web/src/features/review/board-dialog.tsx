import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { BoardCardFragment } from '../../graphql/gen/documents.ts';
import type { BoardAction } from './board-action.ts';
import { ReviewForm } from './review-form.tsx';

interface Props {
  readonly cards: readonly BoardCardFragment[];
  /** The server's reasons for refusing the rating. */
  readonly refusals: readonly string[];
  readonly sending: boolean;
  readonly onRate: (action: BoardAction) => void;
  readonly onClose: () => void;
}

/** The form for a rating with comments, for one or several sessions. */
export function BoardDialog({ cards, refusals, sending, onRate, onClose }: Props) {
  const one = cards.length === 1 ? (cards[0]!.review ?? EMPTY_REVIEW) : EMPTY_REVIEW;
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby="rate-title">
      <DialogTitle id="rate-title" sx={{ overflowWrap: 'anywhere' }}>
        {cards.length === 1 ? cards[0]!.title : `Was this right? ${cards.length} sessions`}
      </DialogTitle>
      <DialogContent>
        <ReviewForm
          draftKey="review.board"
          review={one}
          initialRating={null}
          sending={sending}
          onClose={onClose}
          onSend={({ rating, feedback, actionTaken }) => {
            if (rating == null) return;
            // With several sessions, an empty field keeps each session's existing text.
            const keepIfEmpty = (text: string | null | undefined): string | null =>
              cards.length > 1 && !text ? null : (text ?? null);
            onRate({
              kind: 'RATE',
              rating,
              feedback: keepIfEmpty(feedback),
              actionTaken: keepIfEmpty(actionTaken),
            });
          }}
        />
        <Box aria-live="polite">
          {refusals.map((refusal) => (
            <Alert key={refusal} severity="warning" sx={{ mt: 1.5 }}>
              {refusal}
            </Alert>
          ))}
        </Box>
      </DialogContent>
    </Dialog>
  );
}

const EMPTY_REVIEW = { status: 'NEEDS_REVIEW', rating: null, feedback: null, actionTaken: null } as const;
