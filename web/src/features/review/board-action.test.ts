import { expect, test } from 'vitest';
import type { BoardCardFragment } from '../../graphql/gen/documents.ts';
import { type BoardAction, rateAction, toReviewChange, undoChanges } from './board-action.ts';

type Review = NonNullable<BoardCardFragment['review']>;
const card = (review: Partial<Review> & Pick<Review, 'status'>) =>
  ({
    review: { assignee: null, rating: null, feedback: null, actionTaken: null, ...review },
  }) as BoardCardFragment;
const OPEN = card({ status: 'NEEDS_REVIEW', feedback: 'from before' });
const MINE = card({ status: 'IN_PROGRESS', assignee: 'ana' });
const OTHERS = card({ status: 'IN_PROGRESS', assignee: 'ben' });
const RATED = card({ status: 'REVIEWED', assignee: 'ana', rating: 'ACCURATE', feedback: 'yes' });
const RATED_BY_BEN = card({ status: 'REVIEWED', assignee: 'ben', rating: 'ACCURATE' });
const CLOSED = card({ status: 'REVIEWED', assignee: 'ana' });
const back = (before: BoardCardFragment, kind: Exclude<BoardAction['kind'], 'RATE'>) =>
  undoChanges(before, { kind }, (name) => name === 'ana')?.map(({ action }) => action);
const unrated = (before: BoardCardFragment) =>
  undoChanges(before, rateAction('INACCURATE'), (name) => name === 'ana');

test('rating updates a reviewed session and completes any other', () => {
  expect(toReviewChange(RATED, rateAction('INACCURATE')).action).toBe('UPDATE_FEEDBACK');
  for (const open of [OPEN, MINE])
    expect(toReviewChange(open, rateAction('INACCURATE')).action).toBe('COMPLETE');
  expect(toReviewChange(OPEN, { kind: 'CLAIM' })).toEqual({ action: 'CLAIM' });
});

test('undo restores the previous state', () => {
  expect(back(OPEN, 'CLAIM')).toEqual(['UNCLAIM']);
  expect(back(OPEN, 'ACKNOWLEDGE')).toEqual(['REOPEN']);
  expect(back(MINE, 'UNCLAIM')).toEqual(['CLAIM']);
  expect(back(MINE, 'ACKNOWLEDGE')).toEqual(['REOPEN', 'CLAIM']);
  expect(back(CLOSED, 'REOPEN')).toEqual(['ACKNOWLEDGE']);
  expect(undoChanges(RATED, { kind: 'REOPEN' }, () => true)).toEqual([
    { action: 'COMPLETE', rating: 'ACCURATE', feedback: 'yes', actionTaken: '' },
  ]);
});

test('undo restores the texts', () => {
  expect(unrated(OPEN)).toEqual([{ action: 'REOPEN', feedback: 'from before', actionTaken: '' }]);
  expect(unrated(RATED_BY_BEN)).toEqual([
    { action: 'UPDATE_FEEDBACK', rating: 'ACCURATE', feedback: '', actionTaken: '' },
  ]);
});

test('undo never replaces the name of another reviewer', () => {
  expect(back(OTHERS, 'UNCLAIM')).toBeUndefined();
  expect(back(RATED_BY_BEN, 'REOPEN')).toBeUndefined();
});
