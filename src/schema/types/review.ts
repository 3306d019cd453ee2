import type { ReviewActivityRow } from '../../db/entities/index.ts';
import type { QUALITY_RATINGS, REVIEW_ACTIONS, REVIEW_STATUSES, ReviewStatus } from '../../db/enums.ts';
import { REVIEWED_SESSION_STATUSES } from '../../db/enums.ts';
import type { SessionSnapshot } from '../../engine/engine.ts';
import { builder } from '../builder.ts';
import { described } from '../described.ts';
import {
  ConflictErrorRef,
  ForbiddenErrorRef,
  NotFoundErrorRef,
  resultTypeName,
  ValidationErrorRef,
} from './errors.ts';
import { SessionRef } from './refs.ts';

export const ReviewStatusEnum = builder.enumType('ReviewStatus', {
  description: 'How far people are with judging an investigation that has ended.',
  values: described<typeof REVIEW_STATUSES>({
    NEEDS_REVIEW: 'Nobody has begun.',
    IN_PROGRESS: 'Its assignee reviews it.',
    REVIEWED: 'It was judged, or acknowledged.',
  }),
});

export const QualityRatingEnum = builder.enumType('QualityRating', {
  description: 'Whether an investigation was right, as people say.',
  values: described<typeof QUALITY_RATINGS>({
    ACCURATE: 'It was right.',
    PARTIALLY_ACCURATE: 'Some of it was right.',
    INACCURATE: 'It was wrong.',
  }),
});

export const ReviewActionEnum = builder.enumType('ReviewAction', {
  description: 'What is done about a review. Every one is kept in its activity.',
  values: described<typeof REVIEW_ACTIONS>({
    CLAIM: 'Take a review that nobody has.',
    UNCLAIM: 'Give it back, or take it from its assignee.',
    COMPLETE: 'End it with a rating; takes it first when nobody has it.',
    ACKNOWLEDGE: 'End it without a rating; takes it first when nobody has it.',
    REOPEN: 'Begin once more: its rating is gone, and nobody has it.',
    UPDATE_FEEDBACK: 'Change what was said when it was ended.',
  }),
});

/** Where the review of a session stands; null while there is nothing to judge. */
export function reviewStatusOf({ status, reviewStatus }: SessionSnapshot): ReviewStatus | null {
  if (!(REVIEWED_SESSION_STATUSES as readonly string[]).includes(status)) return null;
  return reviewStatus ?? 'NEEDS_REVIEW';
}

const Activity = builder.objectRef<ReviewActivityRow>('ReviewActivity').implement({
  description: 'What somebody did about a review.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    actor: t.exposeString('actor', { description: 'Who.' }),
    action: t.expose('action', { type: ReviewActionEnum, description: 'What.' }),
    note: t.exposeString('note', {
      nullable: true,
      description: 'The rating and the feedback that were given with it; null when there were none.',
    }),
  }),
});

export const ReviewRef = builder.objectRef<SessionSnapshot>('Review').implement({
  description: 'What people say of an investigation.',
  fields: (t) => ({
    status: t.field({
      type: ReviewStatusEnum,
      description: 'How far it is.',
      resolve: (session) => reviewStatusOf(session) ?? 'NEEDS_REVIEW',
    }),
    assignee: t.string({
      nullable: true,
      description: 'Who reviews it, or did; null while nobody does.',
      resolve: ({ assignee }) => assignee,
    }),
    rating: t.field({
      type: QualityRatingEnum,
      nullable: true,
      description: 'Null until it is reviewed, and when it was acknowledged.',
      resolve: ({ rating }) => rating,
    }),
    actionTaken: t.string({
      nullable: true,
      description: 'What was done about the problem.',
      resolve: ({ actionTaken }) => actionTaken,
    }),
    feedback: t.string({
      nullable: true,
      description: 'What was right or wrong, in the reviewer’s words.',
      resolve: ({ feedback }) => feedback,
    }),
    reviewedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was ended; null until then.',
      resolve: ({ reviewedAt }) => reviewedAt,
    }),
    activity: t.field({
      type: [Activity],
      description: 'What people did about it, oldest first.',
      resolve: ({ id }, _args, { loaders }) => loaders.reviewActivityOfSession.load(id),
    }),
  }),
});

const ReviewSessionSuccess = builder.objectRef<SessionSnapshot>('ReviewSessionSuccess').implement({
  description: 'It was done.',
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      description: 'The session as it is now.',
      resolve: (session) => session,
    }),
  }),
});

export const ReviewSessionResult = builder.unionType('ReviewSessionResult', {
  description: 'What became of the review of one session.',
  types: [ReviewSessionSuccess, ValidationErrorRef, NotFoundErrorRef, ConflictErrorRef, ForbiddenErrorRef],
  resolveType: (result) => resultTypeName(result, 'ReviewSessionSuccess'),
});
