import type { BoardCardFragment, QualityRating } from '../../graphql/gen/documents.ts';
import type { ReviewChange } from './use-review.ts';

/** What the board can do to cards. */
export type BoardAct =
  | { readonly kind: 'CLAIM' | 'UNCLAIM' | 'ACKNOWLEDGE' | 'REOPEN' }
  | {
      readonly kind: 'RATE';
      readonly rating: QualityRating;
      /** Null: what was said stays as it is. */
      readonly feedback: string | null;
      readonly actionTaken: string | null;
    };

export const RATE = (rating: QualityRating): BoardAct => ({
  kind: 'RATE',
  rating,
  feedback: null,
  actionTaken: null,
});

/** What is asked of the API; a rating of what is rated already changes that. */
export function changeOf(card: BoardCardFragment, act: BoardAct): ReviewChange {
  if (act.kind !== 'RATE') return { action: act.kind };
  const { rating, feedback, actionTaken } = act;
  const action = card.review?.status === 'REVIEWED' ? 'UPDATE_FEEDBACK' : 'COMPLETE';
  return { action, rating, feedback, actionTaken };
}

/**
 * What takes it back, one after the other. Null: it cannot be, since that would put the reader's name where another's
 * was.
 * @param before the card as it was
 * @param isMe whether a reviewer's name is the reader's
 */
export function wayBack(
  before: BoardCardFragment,
  act: BoardAct,
  isMe: (name: string | null) => boolean,
): readonly ReviewChange[] | null {
  const { review } = before;
  if (review === null) return null;
  const { status, assignee, rating } = review;
  // Words that were not there are taken away, not left.
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

/** How a review stands, to see whether somebody changed it since. */
export function standing(
  review: Pick<
    NonNullable<BoardCardFragment['review']>,
    'status' | 'assignee' | 'rating' | 'feedback'
  > | null,
): string {
  return review === null ? '' : [review.status, review.assignee, review.rating, review.feedback].join('\n');
}
