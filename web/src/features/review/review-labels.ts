import type { QualityRating, ReviewAction, ReviewStatus } from '../../graphql/gen/documents.ts';
import type { StatusTone } from '../../theme.ts';

export const RATINGS: Readonly<Record<QualityRating, { label: string; tone: StatusTone }>> = {
  ACCURATE: { label: 'Right', tone: 'done' },
  PARTIALLY_ACCURATE: { label: 'Partly right', tone: 'late' },
  INACCURATE: { label: 'Wrong', tone: 'failed' },
};

export const QUALITY_RATINGS = Object.keys(RATINGS) as readonly QualityRating[];

export const REVIEW_STATUS_LABELS: Readonly<Record<ReviewStatus, string>> = {
  NEEDS_REVIEW: 'Needs review',
  IN_PROGRESS: 'In review',
  REVIEWED: 'Reviewed',
};

/** Texts of the review actions, shown after the actor's name. */
export const ACTION_LABELS: Readonly<Record<ReviewAction, string>> = {
  CLAIM: 'started the review',
  UNCLAIM: 'unassigned the review',
  COMPLETE: 'rated the investigation',
  ACKNOWLEDGE: 'closed the review without rating',
  REOPEN: 'reopened the review',
  UPDATE_FEEDBACK: 'edited the review',
};

export const REVIEW_PAGES = [
  { to: '/review', name: 'Board' },
  { to: '/review/calibration', name: 'Calibration' },
  { to: '/review/memory', name: 'Memory' },
  { to: '/review/cases', name: 'Cases' },
] as const;
