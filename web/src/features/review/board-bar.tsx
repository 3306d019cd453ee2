import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { ActionButton } from '../../components/action-button.tsx';
import type { BoardCardFragment, QualityRating } from '../../graphql/gen/documents.ts';
import { type BoardAction, rateAction } from './board-action.ts';
import { RATINGS } from './review-labels.ts';
import type { ActionOutcome } from './use-board-actions.ts';

interface Props {
  readonly chosen: readonly BoardCardFragment[];
  readonly outcome: ActionOutcome | null;
  readonly busy: boolean;
  readonly onAction: (action: BoardAction) => void;
  /** Opens the form for a rating with a comment. */
  readonly onComment: () => void;
  readonly onClear: () => void;
  readonly onDismiss: () => void;
}

/** Bar at the bottom of the window: actions on the selected cards, and the result of the last action. */
export function BoardBar({ chosen, outcome, busy, onAction, onComment, onClear, onDismiss }: Props) {
  const hasStatus = (status: string): boolean => chosen.some(({ review }) => review?.status === status);
  const open = hasStatus('NEEDS_REVIEW') || hasStatus('IN_PROGRESS');
  return (
    <Box sx={footer}>
      <Box role="status" aria-label="Last action" sx={outcome === null ? undefined : [bar, { mb: 1 }]}>
        {outcome === null ? null : (
          <>
            <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
              {outcome.text}
              {outcome.refusals.map((refusal) => (
                <Box key={refusal} sx={{ color: 'status.late' }}>
                  {refusal}
                </Box>
              ))}
            </Box>
            {outcome.undo === null ? null : (
              <Button variant="outlined" loading={busy} onClick={() => void outcome.undo?.()}>
                Undo
              </Button>
            )}
            <Button onClick={onDismiss}>Hide</Button>
          </>
        )}
      </Box>
      {chosen.length === 0 ? null : (
        <Box role="group" aria-label="Actions for selected sessions" sx={bar}>
          <Box sx={{ fontWeight: 600, mr: 1 }}>{chosen.length} selected</Box>
          {hasStatus('NEEDS_REVIEW') ? (
            <ActionButton needs="REVIEW" loading={busy} onClick={() => onAction({ kind: 'CLAIM' })}>
              Assign to me{' '}
            </ActionButton>
          ) : null}
          {hasStatus('IN_PROGRESS') ? (
            <ActionButton needs="REVIEW" loading={busy} onClick={() => onAction({ kind: 'UNCLAIM' })}>
              Unassign{' '}
            </ActionButton>
          ) : null}
          {Object.entries(RATINGS).map(([rating, { label }]) => (
            <ActionButton
              key={rating}
              needs="REVIEW"
              variant="outlined"
              loading={busy}
              onClick={() => onAction(rateAction(rating as QualityRating))}
            >
              {label}
            </ActionButton>
          ))}
          <ActionButton needs="REVIEW" loading={busy} onClick={onComment}>
            Rate with comment
          </ActionButton>
          {open ? (
            <ActionButton needs="REVIEW" loading={busy} onClick={() => onAction({ kind: 'ACKNOWLEDGE' })}>
              Close without rating
            </ActionButton>
          ) : null}
          {hasStatus('REVIEWED') ? (
            <ActionButton needs="REVIEW" loading={busy} onClick={() => onAction({ kind: 'REOPEN' })}>
              Reopen
            </ActionButton>
          ) : null}
          <Box sx={{ flex: 1 }} />
          <Button onClick={onClear}>Clear selection</Button>
        </Box>
      )}
    </Box>
  );
}

const footer = { position: 'sticky', bottom: 8, zIndex: 2, mt: 2 } as const;
const bar = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 0.5,
  px: 1.5,
  py: 0.75,
  fontSize: '0.875rem',
  border: '1px solid',
  borderColor: 'divider',
  borderRadius: 1,
  bgcolor: 'background.paper',
  boxShadow: '0 2px 12px rgb(0 0 0 / 18%)',
} as const;
