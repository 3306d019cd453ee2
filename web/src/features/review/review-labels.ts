import type { QualityRating, ReviewAction, ReviewStatus } from '../../graphql/gen/documents.ts';
import type { StatusTone } from '../../theme.ts';

/** As people say it of an investigation, with the tone of its mark. */
export const RATINGS: Readonly<Record<QualityRating, { label: string; tone: StatusTone }>> = {
  ACCURATE: { label: 'Right', tone: 'done' },
  PARTIALLY_ACCURATE: { label: 'Partly right', tone: 'late' },
  INACCURATE: { label: 'Wrong', tone: 'failed' },
};

export const QUALITY_RATINGS = Object.keys(RATINGS) as readonly QualityRating[];

export const REVIEW_STATUSES: Readonly<Record<ReviewStatus, string>> = {
  NEEDS_REVIEW: 'Needs review',
  IN_PROGRESS: 'In review',
  REVIEWED: 'Reviewed',
};

/** What somebody did, after their name. */
export const ACTIONS: Readonly<Record<ReviewAction, string>> = {
  CLAIM: 'took the review',
  UNCLAIM: 'released the review',
  COMPLETE: 'rated it',
  ACKNOWLEDGE: 'closed the review without a rating',
  REOPEN: 'reopened the review',
  UPDATE_FEEDBACK: 'changed the review',
};

/** The pages about reviews. */
export const REVIEW_WAYS = [
  { to: '/review', name: 'Board' },
  { to: '/review/calibration', name: 'Calibration' },
  { to: '/review/memory', name: 'Memory' },
] as const;
