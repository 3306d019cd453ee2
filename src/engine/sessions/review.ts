import { v7 as uuidv7 } from 'uuid';
import { type Actor, recordAudit } from '../../audit.ts';
import { ConflictError, NotFoundError, ValidationError } from '../../common/errors.ts';
import type { Config } from '../../config/types.ts';
import type { AlertSessionRow, ReviewActivityRow } from '../../db/entities/index.ts';
import {
  QUALITY_RATINGS,
  type QualityRating,
  REVIEWED_SESSION_STATUSES,
  type ReviewAction,
} from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import type { ReviewChange, ReviewRefusal, SessionSnapshot } from '../api/engine.ts';
import type { Observer } from '../api/observer.ts';
import { maskUserText } from '../common/user-text.ts';
import { adjustConfidence } from '../features/memory/store.ts';
import { insertInto, type RowWriter, writeSession } from '../store/event-statement.ts';
import type { JobQueues } from '../worker/finish-session.ts';

/** Maximum length of each text of a review (characters). */
const REVIEW_TEXT_MAX_LENGTH = 10_000;

interface ReviewDeps extends Pick<JobQueues, 'enqueueLearning'> {
  observer: Pick<Observer, 'metrics'>;
  masking: Pick<Masking, 'maskChat'>;
  transaction: Transaction;
  config: Pick<Config, 'defaults'>;
}

/**
 * Implements `Engine.reviewSessions`: applies one change to the reviews of several sessions, in one
 * transaction.
 */
export async function reviewSessions(
  deps: ReviewDeps,
  sessionIds: readonly string[],
  change: ReviewChange,
  by: Actor,
): Promise<(SessionSnapshot | ReviewRefusal)[]> {
  const wanted = validated(deps.masking, change);
  if (wanted instanceof ValidationError) return sessionIds.map(() => wanted);
  const done: Pick<ReviewValues, 'rating'>[] = [];
  const results = await deps.transaction(async (tx) => {
    const locked = await lockForReview(tx, sessionIds);
    const results: (SessionSnapshot | ReviewRefusal)[] = [];
    const rated = new Map<string, QualityRating | null>();
    for (const id of sessionIds) {
      const state = locked.get(id);
      const decision = state
        ? decide(state, wanted, by.name)
        : new NotFoundError(`There is no session ${id}.`);
      if (!('values' in decision)) {
        results.push(decision);
        continue;
      }
      const { values, actions } = decision;
      const activities = actions.map((action) => ({
        id: uuidv7(),
        actor: by.name,
        action,
        note: action === wanted.action ? noteOf(wanted) : null,
      }));
      const session = await writeReview(tx, id, values, activities);
      if (values.rating !== state?.rating) rated.set(id, values.rating ?? null);
      locked.set(id, { ...session, ...values, isReplay: false });
      if (activities.length > 0) {
        done.push(values);
        await recordAudit(tx, by, {
          action: 'session.review',
          target: { type: 'Session', id },
          detail: { action: wanted.action, rating: values.rating },
        });
      }
      results.push(session);
    }
    await learnFromRatings(deps, tx, rated);
    return results;
  });
  for (const { rating } of done) deps.observer.metrics.reviewed(wanted.action, rating ?? null);
  return results;
}

/** Adjusts the confidence in memories that rated sessions taught or used. Queues learning from accurate sessions. */
async function learnFromRatings(
  { config, enqueueLearning }: ReviewDeps,
  tx: Queryable,
  rated: ReadonlyMap<string, QualityRating | null>,
): Promise<void> {
  const { enabled, learnFrom } = config.defaults.memory;
  await adjustConfidence(tx, rated, learnFrom);
  if (!enabled) return;
  for (const [sessionId, rating] of rated)
    if (rating === 'ACCURATE' || rating === 'PARTIALLY_ACCURATE') await enqueueLearning(tx, sessionId);
}

/** Validates a change and masks its texts. @returns the change, or the validation error */
function validated(masking: ReviewDeps['masking'], change: ReviewChange): ReviewChange | ValidationError {
  const { action, rating, actionTaken, feedback } = change;
  const rates = action === 'COMPLETE' || action === 'UPDATE_FEEDBACK';
  if (action === 'COMPLETE' && rating === null)
    return new ValidationError(
      `COMPLETE needs a rating: ${QUALITY_RATINGS.join(', ')}. ACKNOWLEDGE finishes a review without one.`,
      'rating',
    );
  if (rating !== null && !rates)
    return new ValidationError(`${action} takes no rating; COMPLETE and UPDATE_FEEDBACK do.`, 'rating');
  if (action === 'UPDATE_FEEDBACK' && rating === null && actionTaken === null && feedback === null)
    return new ValidationError('There is nothing to change. Give a rating, actionTaken or feedback.');
  try {
    const masked = (text: string | null, field: string) =>
      text && maskUserText(masking, { text, field, name: 'text', maxLength: REVIEW_TEXT_MAX_LENGTH });
    return {
      action,
      rating,
      actionTaken: masked(actionTaken, 'actionTaken'),
      feedback: masked(feedback, 'feedback'),
    };
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
}

function noteOf({ rating, feedback }: ReviewChange): string | null {
  return [rating, feedback].filter((part) => part !== null && part !== '').join(': ') || null;
}

/** Returns a review's new values and the actions to record, or the reason for refusing the change. */
function decide(
  state: ReviewState,
  change: ReviewChange,
  actor: string,
): { values: ReviewValues; actions: ReviewAction[] } | ConflictError {
  if (state.isReplay)
    return new ConflictError(
      'The session is a replay of a case, which is judged by its checks and not reviewed.',
    );
  if (state.status === 'CANCELLED')
    return new ConflictError('The session was cancelled, so there is nothing to review.');
  if (!(REVIEWED_SESSION_STATUSES as readonly string[]).includes(state.status))
    return new ConflictError(`The investigation has not ended yet (${state.status}). Review it when it has.`);
  const { reviewStatus, assignee, rating, actionTaken, feedback, reviewedAt } = state;
  const { action } = change;
  const isReviewed = reviewStatus === 'REVIEWED';
  if (isReviewed && action !== 'REOPEN' && action !== 'UPDATE_FEEDBACK')
    return new ConflictError(`${assignee} has finished this review. REOPEN it to review again.`);
  if (
    reviewStatus === 'IN_PROGRESS' &&
    assignee !== actor &&
    ['CLAIM', 'COMPLETE', 'ACKNOWLEDGE'].includes(action)
  )
    return new ConflictError(
      `${assignee} is the reviewer. Ask them, or unassign them with UNCLAIM; all users can see this.`,
    );
  const before = { reviewStatus, assignee, rating, reviewedAt };
  const texts = {
    actionTaken: change.actionTaken ?? actionTaken,
    feedback: change.feedback ?? feedback,
  };
  switch (action) {
    case 'CLAIM':
      if (reviewStatus === 'IN_PROGRESS')
        return { values: { ...before, actionTaken, feedback }, actions: [] };
      return {
        values: { ...before, ...texts, reviewStatus: 'IN_PROGRESS', assignee: actor },
        actions: ['CLAIM'],
      };
    case 'UNCLAIM':
      if (reviewStatus === null) return new ConflictError('No user has claimed the review.');
      return { values: { ...before, ...texts, reviewStatus: null, assignee: null }, actions: ['UNCLAIM'] };
    case 'COMPLETE':
    case 'ACKNOWLEDGE': {
      const reviewed = { assignee: actor, rating: change.rating, reviewedAt: new Date() };
      return {
        values: { ...texts, ...reviewed, reviewStatus: 'REVIEWED' },
        actions: reviewStatus === null ? ['CLAIM', action] : [action],
      };
    }
    case 'REOPEN': {
      if (!isReviewed) return new ConflictError('The review is already open.');
      const open = { reviewStatus: null, assignee: null, rating: null, reviewedAt: null };
      return { values: { ...texts, ...open }, actions: ['REOPEN'] };
    }
    case 'UPDATE_FEEDBACK':
      if (!isReviewed)
        return new ConflictError('The review is not completed yet. Give the feedback when you complete it.');
      return {
        values: { ...before, ...texts, rating: change.rating ?? rating },
        actions: ['UPDATE_FEEDBACK'],
      };
  }
}

/** The columns of a session that a review changes. */
type ReviewValues = Pick<
  AlertSessionRow,
  'reviewStatus' | 'assignee' | 'rating' | 'actionTaken' | 'feedback' | 'reviewedAt'
>;
type ReviewState = ReviewValues & Pick<AlertSessionRow, 'status'> & { isReplay: boolean };

/** Locks sessions' rows in the order of their ids until the transaction ends. Returns the existing sessions by id. */
async function lockForReview(
  tx: Queryable,
  sessionIds: readonly string[],
): Promise<Map<string, ReviewState>> {
  const { rows } = await tx.query<ReviewState & { id: string }>(
    prepared(`select id, status, review_status as "reviewStatus", assignee, rating, action_taken as "actionTaken", feedback,
       reviewed_at as "reviewedAt", exists (select 1 from replays p where p.session_id = s.id) as "isReplay"
     from alert_sessions s where id = any($1::uuid[]) and deleted_at is null order by id for no key update`),
    [sessionIds],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

const ACTIVITY: RowWriter = {
  name: 'activity',
  ...insertInto('review_activities', 'id uuid, actor text, action text, note text'),
};

/** Stores the state of a review and its new activities. The session's row must be locked. */
async function writeReview(
  tx: Queryable,
  sessionId: string,
  values: ReviewValues,
  activities: readonly Pick<ReviewActivityRow, 'id' | 'actor' | 'action' | 'note'>[],
): Promise<SessionSnapshot> {
  const { reviewStatus, assignee, rating, actionTaken, feedback, reviewedAt } = values;
  const change = {
    guard: 'true',
    assign:
      'review_status = $2, assignee = $3, rating = $4, action_taken = $5, feedback = $6, reviewed_at = $7',
    values: [reviewStatus, assignee, rating, actionTaken, feedback, reviewedAt],
  };
  const added = activities.map((row) => ({ writer: ACTIVITY, row }));
  return (await writeSession(tx, sessionId, change, added))!; // the row is locked, so it exists
}
