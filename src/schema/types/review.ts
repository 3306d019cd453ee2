import type { ReviewActivityRow } from '../../db/entities/index.ts';
import type { ReviewStatus } from '../../db/enums.ts';
import { REVIEWED_SESSION_STATUSES } from '../../db/enums.ts';
import type { SessionSnapshot } from '../../engine/api/engine.ts';
import { builder } from '../builder.ts';
import { QualityRatingEnum, ReviewActionEnum, ReviewStatusEnum } from '../enums.ts';
import {
  ConflictErrorRef,
  ForbiddenErrorRef,
  NotFoundErrorRef,
  resultTypeName,
  ValidationErrorRef,
} from './errors.ts';
import { SessionRef } from './refs.ts';

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

export const ReviewSessionsInput = builder.inputType('ReviewSessionsInput', {
  description: 'What is done about the reviews of sessions.',
  fields: (t) => ({
    sessionIds: t.idList({ required: true, description: 'Global ids or UUIDs; at most 50.' }),
    action: t.field({ type: ReviewActionEnum, required: true, description: 'What is done.' }),
    rating: t.field({
      type: QualityRatingEnum,
      description: 'Needed to COMPLETE; with UPDATE_FEEDBACK null leaves it as it is.',
    }),
    actionTaken: t.string({
      description: 'What was done about the problem; up to 10,000 characters. Null leaves it as it is.',
    }),
    feedback: t.string({
      description: 'What was right or wrong; up to 10,000 characters. Null leaves it as it is.',
    }),
  }),
});
