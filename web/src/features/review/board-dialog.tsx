import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { BoardCardFragment } from '../../graphql/gen/documents.ts';
import type { BoardAct } from './board-action.ts';
import { ReviewForm } from './review-form.tsx';

interface Props {
  readonly cards: readonly BoardCardFragment[];
  /** The server's reasons for refusing the rating. */
  readonly refusals: readonly string[];
  readonly sending: boolean;
  readonly act: (act: BoardAct) => void;
  readonly close: () => void;
}

/** The form for a rating with comments, for one or several sessions. */
export function BoardDialog({ cards, refusals, sending, act, close }: Props) {
  const one = cards.length === 1 ? (cards[0]!.review ?? NONE) : NONE;
  return (
    <Dialog open onClose={close} fullWidth maxWidth="sm" aria-labelledby="rate-title">
      <DialogTitle id="rate-title" sx={{ overflowWrap: 'anywhere' }}>
        {cards.length === 1 ? cards[0]!.title : `Was this right? ${cards.length} sessions`}
      </DialogTitle>
      <DialogContent>
        <ReviewForm
          keptAs="review.board"
          review={one}
          begin={null}
          sending={sending}
          close={close}
          send={({ rating, feedback, actionTaken }) => {
            if (rating == null) return;
            // With several sessions, an empty field keeps the existing texts.
            const said = (text: string | null | undefined): string | null =>
              cards.length > 1 && !text ? null : (text ?? null);
            act({ kind: 'RATE', rating, feedback: said(feedback), actionTaken: said(actionTaken) });
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

const NONE = { status: 'NEEDS_REVIEW', rating: null, feedback: null, actionTaken: null } as const;
