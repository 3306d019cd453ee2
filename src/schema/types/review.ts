import { ConflictError, NotFoundError, ValidationError } from '../../common/errors.ts';
import type { ReviewActivityRow } from '../../db/entities/index.ts';
import type { ReviewStatus } from '../../db/enums.ts';
import { REVIEWED_SESSION_STATUSES } from '../../db/enums.ts';
import type { SessionSnapshot } from '../../engine/api/engine.ts';
import { builder, objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { badUserInput } from '../errors.ts';
import { seen } from '../root-fields.ts';
import { declared, mutationResult } from './errors.ts';
import { SessionRef } from './refs.ts';

/** Returns the review status of a session; `null` if a session of this status cannot be reviewed. */
export function reviewStatusOf({ status, reviewStatus }: SessionSnapshot): ReviewStatus | null {
  if (!(REVIEWED_SESSION_STATUSES as readonly string[]).includes(status)) return null;
  return reviewStatus ?? 'NEEDS_REVIEW';
}

const Activity = objectType<ReviewActivityRow>('ReviewActivity', 'An action on a review.', (t) => ({
  at: t.expose('at', { type: 'DateTime', description: 'Time of the action.' }),
  actor: t.exposeString('actor', { description: 'User or token that acted.' }),
  action: t.expose('action', { type: enums.ReviewAction, description: 'The action.' }),
  note: t.exposeString('note', {
    nullable: true,
    description: 'Rating and feedback given with the action; null if there were none.',
  }),
}));

export const ReviewRef = objectType<SessionSnapshot>('Review', 'Human review of an investigation.', (t) => ({
  status: t.field({
    type: enums.ReviewStatus,
    description: 'Current status.',
    resolve: (session) => reviewStatusOf(session) ?? 'NEEDS_REVIEW',
  }),
  assignee: t.exposeString('assignee', {
    nullable: true,
    description: 'Current or last reviewer; null if unassigned.',
  }),
  rating: t.expose('rating', {
    type: enums.QualityRating,
    nullable: true,
    description: 'Rating; null until reviewed, and if only acknowledged.',
  }),
  actionTaken: t.exposeString('actionTaken', { nullable: true, description: 'Action taken on the problem.' }),
  feedback: t.exposeString('feedback', { nullable: true, description: 'Feedback in the reviewer’s words.' }),
  reviewedAt: t.expose('reviewedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the review was finished; null until then.',
  }),
  activity: t.field({
    type: [Activity],
    description: 'Actions on the review, oldest first.',
    resolve: ({ id }, _args, { loaders }) => loaders.reviewActivityOfSession.load(id),
  }),
}));

const ReviewSession = mutationResult(
  'ReviewSession',
  [ValidationError, NotFoundError, ConflictError],
  {
    description: 'The action was performed.',
    field: { session: { type: SessionRef, description: 'The updated session.' } },
  },
  'Result of reviewSessions for one session.',
);

const ReviewSessionsInput = builder.inputType('ReviewSessionsInput', {
  description: 'An action on the reviews of sessions.',
  fields: (t) => ({
    sessionIds: t.idList({ required: true, description: 'Global ids or UUIDs; at most 50.' }),
    action: t.field({ type: enums.ReviewAction, required: true, description: 'Action to perform.' }),
    rating: t.field({
      type: enums.QualityRating,
      description: 'Required for COMPLETE. With UPDATE_FEEDBACK, null keeps the rating.',
    }),
    actionTaken: t.string({
      description: 'Action taken on the problem; up to 10,000 characters. Null keeps the current value.',
    }),
    feedback: t.string({ description: 'Feedback; up to 10,000 characters. Null keeps the current value.' }),
  }),
});

const MAX_SESSIONS = 50;

builder.mutationField('reviewSessions', (t) =>
  t.field({
    type: [ReviewSession.type],
    description: `Performs one action on the reviews of at most ${MAX_SESSIONS} sessions. Returns one result per session, in the order of the ids, or a single ForbiddenError if the viewer may not review.`,
    args: {
      input: t.arg({
        type: ReviewSessionsInput,
        required: true,
        description: 'The action and its sessions.',
      }),
    },
    resolve: async (_root, { input }, context) => {
      const { sessionIds, action, rating = null, actionTaken = null, feedback = null } = input;
      if (sessionIds.length > MAX_SESSIONS)
        throw badUserInput(
          `At most ${MAX_SESSIONS} sessions in one request; ${sessionIds.length} were given. Send the others in another.`,
        );
      const keys = await Promise.all(sessionIds.map((id) => seen('Session', id, context)));
      const change = { action, rating, actionTaken, feedback };
      const known = keys.filter((key) => key !== null);
      const results = (await context.engine.reviewSessions(known, change, context.viewer)).values();
      return keys.map((key) => {
        const result =
          key === null ? new NotFoundError('There is no session with this id.') : results.next().value!;
        return result instanceof Error ? declared(result) : result;
      });
    },
  }),
);
