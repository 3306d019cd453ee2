import type { BoardCardFragment, QualityRating } from '../../graphql/gen/documents.ts';
import type { ReviewChange } from './use-review.ts';

export type BoardAction =
  | { readonly kind: 'CLAIM' | 'UNCLAIM' | 'ACKNOWLEDGE' | 'REOPEN' }
  | {
      readonly kind: 'RATE';
      readonly rating: QualityRating;
      /** Text of the feedback; `null` keeps the current text, as for `actionTaken`. */
      readonly feedback: string | null;
      readonly actionTaken: string | null;
    };

export const rateAction = (rating: QualityRating): BoardAction => ({
  kind: 'RATE',
  rating,
  feedback: null,
  actionTaken: null,
});

/** Returns the change to send to the API; rating a reviewed session updates its rating. */
export function toReviewChange(card: BoardCardFragment, act: BoardAction): ReviewChange {
  if (act.kind !== 'RATE') return { action: act.kind };
  const { rating, feedback, actionTaken } = act;
  const action = card.review?.status === 'REVIEWED' ? 'UPDATE_FEEDBACK' : 'COMPLETE';
  return { action, rating, feedback, actionTaken };
}

/**
 * Returns the changes that undo an action, in order; `null` if undoing is impossible, for example because the viewer's
 * name would replace another reviewer's.
 * @param before the card before the action
 * @param isMe returns true if a reviewer's name is the viewer's
 */
export function undoChanges(
  before: BoardCardFragment,
  act: BoardAction,
  isMe: (name: string | null) => boolean,
): readonly ReviewChange[] | null {
  const { review } = before;
  if (review === null) return null;
  const { status, assignee, rating } = review;
  // An empty string clears a text that the action may have added.
  const words = { feedback: review.feedback ?? '', actionTaken: review.actionTaken ?? '' };
  switch (status) {
    case 'NEEDS_REVIEW':
      return act.kind === 'CLAIM' ? [{ action: 'UNCLAIM' }] : [{ action: 'REOPEN', ...words }];
    case 'IN_PROGRESS':
      if (!isMe(assignee)) return null;
      return act.kind === 'UNCLAIM'
        ? [{ action: 'CLAIM' }]
        : [{ action: 'REOPEN', ...words }, { action: 'CLAIM' }];
    case 'REVIEWED':
      if (act.kind === 'RATE')
        return rating === null ? null : [{ action: 'UPDATE_FEEDBACK', rating, ...words }];
      if (!isMe(assignee)) return null;
      return [rating === null ? { action: 'ACKNOWLEDGE' } : { action: 'COMPLETE', rating, ...words }];
  }
}

/** Returns a text that is equal for reviews of equal status, reviewer, rating and feedback; '' without a review. */
export function reviewState(
  review: Pick<
    NonNullable<BoardCardFragment['review']>,
    'status' | 'assignee' | 'rating' | 'feedback'
  > | null,
): string {
  return review === null ? '' : [review.status, review.assignee, review.rating, review.feedback].join('\n');
}
