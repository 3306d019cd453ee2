import { v7 as uuidv7 } from 'uuid';
import { type Actor, recordAudit } from '../../audit.ts';
import { ConflictError, NotFoundError, ValidationError } from '../../common/errors.ts';
import type { Config } from '../../config/types.ts';
import {
  QUALITY_RATINGS,
  type QualityRating,
  REVIEWED_SESSION_STATUSES,
  type ReviewAction,
} from '../../db/enums.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import type { ReviewChange, ReviewRefusal, SessionSnapshot } from '../api/engine.ts';
import type { Observer } from '../api/observer.ts';
import { requireStorable } from '../common/storable-text.ts';
import { judge } from '../features/memory/store.ts';
import { lockForReview, type ReviewState, type ReviewValues, writeReview } from '../store/reviews.ts';

/** Characters of what a review says, of each of its texts. */
export const REVIEW_TEXT_MAX_LENGTH = 10_000;

export interface ReviewDeps {
  observer: Pick<Observer, 'metrics'>;
  masking: Pick<Masking, 'maskChat'>;
  transaction: Transaction;
  config: Pick<Config, 'defaults'>;
  /** Has a session teach what it can; runs within the transaction it is handed. */
  enqueueLearning: (tx: Queryable, sessionId: string) => Promise<void>;
}

/**
 * Does the same to the reviews of several sessions, each as its own state allows, in one transaction.
 * @returns for each id, in their order, the session as it is then, or why nothing was done
 */
export async function reviewSessions(
  deps: ReviewDeps,
  sessionIds: readonly string[],
  change: ReviewChange,
  by: Actor,
): Promise<(SessionSnapshot | ReviewRefusal)[]> {
  const wanted = checked(deps.masking, change);
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
      locked.set(id, { ...session, ...values });
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
    await teach(deps, tx, rated);
    return results;
  });
  for (const { rating } of done) deps.observer.metrics.reviewed(wanted.action, rating ?? null);
  return results;
}

/** What sessions taught, or used, is believed as far as they were right; right ones teach. */
async function teach(
  { config, enqueueLearning }: ReviewDeps,
  tx: Queryable,
  rated: ReadonlyMap<string, QualityRating | null>,
): Promise<void> {
  const { enabled, learnFrom } = config.defaults.memory;
  await judge(tx, rated, learnFrom);
  if (!enabled) return;
  for (const [sessionId, rating] of rated)
    if (rating === 'ACCURATE' || rating === 'PARTIALLY_ACCURATE') await enqueueLearning(tx, sessionId);
}

/** The change with its texts masked, or what is wrong with it. */
function checked(masking: ReviewDeps['masking'], change: ReviewChange): ReviewChange | ValidationError {
  const { action, rating, actionTaken, feedback } = change;
  const rates = action === 'COMPLETE' || action === 'UPDATE_FEEDBACK';
  if (action === 'COMPLETE' && rating === null)
    return new ValidationError(
      `To complete a review, say how right the investigation was: ${QUALITY_RATINGS.join(', ')}. ACKNOWLEDGE ends it without.`,
      'rating',
    );
  if (rating !== null && !rates)
    return new ValidationError(`${action} takes no rating; COMPLETE and UPDATE_FEEDBACK do.`, 'rating');
  if (action === 'UPDATE_FEEDBACK' && rating === null && actionTaken === null && feedback === null)
    return new ValidationError('Nothing is to be changed: give a rating, actionTaken or feedback.');
  try {
    return {
      action,
      rating,
      actionTaken: maskedText(masking, actionTaken, 'actionTaken'),
      feedback: maskedText(masking, feedback, 'feedback'),
    };
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
}

function maskedText(masking: ReviewDeps['masking'], text: string | null, field: string): string | null {
  if (text === null) return null;
  if (text.length > REVIEW_TEXT_MAX_LENGTH)
    throw new ValidationError(
      `There are ${text.length} characters, at most ${REVIEW_TEXT_MAX_LENGTH} are allowed.`,
      field,
    );
  requireStorable(text, field);
  try {
    return masking.maskChat(text);
  } catch {
    throw new ValidationError('Secrets in this text could not be masked. Say it in other words.', field);
  }
}

function noteOf({ rating, feedback }: ReviewChange): string | null {
  return [rating, feedback].filter((part) => part !== null && part !== '').join(': ') || null;
}

/** What becomes of a review, and what of that is worth telling; or why nothing does. */
function decide(
  state: ReviewState,
  change: ReviewChange,
  actor: string,
): { values: ReviewValues; actions: ReviewAction[] } | ConflictError {
  if (!(REVIEWED_SESSION_STATUSES as readonly string[]).includes(state.status))
    return new ConflictError(
      state.status === 'CANCELLED'
        ? 'The session was cancelled: there is nothing to review.'
        : `The investigation has not ended yet (${state.status}). Review it when it has.`,
    );
  const { reviewStatus, assignee, rating, actionTaken, feedback, reviewedAt } = state;
  const before: ReviewValues = { reviewStatus, assignee, rating, actionTaken, feedback, reviewedAt };
  const texts = {
    actionTaken: change.actionTaken ?? actionTaken,
    feedback: change.feedback ?? feedback,
  };
  const isOthers = reviewStatus === 'IN_PROGRESS' && assignee !== actor;
  switch (change.action) {
    case 'CLAIM':
      if (reviewStatus === 'REVIEWED') return reviewedBy(state);
      if (isOthers) return takenBy(state);
      if (reviewStatus === 'IN_PROGRESS') return { values: before, actions: [] };
      return {
        values: { ...before, ...texts, reviewStatus: 'IN_PROGRESS', assignee: actor },
        actions: ['CLAIM'],
      };
    case 'UNCLAIM':
      if (reviewStatus === 'REVIEWED') return reviewedBy(state);
      if (reviewStatus === null) return new ConflictError('Nobody has claimed the review.');
      return { values: { ...before, ...texts, reviewStatus: null, assignee: null }, actions: ['UNCLAIM'] };
    case 'COMPLETE':
    case 'ACKNOWLEDGE':
      if (reviewStatus === 'REVIEWED') return reviewedBy(state);
      if (isOthers) return takenBy(state);
      return {
        values: {
          ...texts,
          reviewStatus: 'REVIEWED',
          assignee: actor,
          rating: change.rating,
          reviewedAt: new Date(),
        },
        actions: reviewStatus === null ? ['CLAIM', change.action] : [change.action],
      };
    case 'REOPEN':
      if (reviewStatus !== 'REVIEWED') return new ConflictError('The review is not completed: it is open.');
      return {
        values: { ...texts, reviewStatus: null, assignee: null, rating: null, reviewedAt: null },
        actions: ['REOPEN'],
      };
    case 'UPDATE_FEEDBACK':
      if (reviewStatus !== 'REVIEWED')
        return new ConflictError('The review is not completed yet. Complete it with what you have to say.');
      return {
        values: { ...before, ...texts, rating: change.rating ?? rating },
        actions: ['UPDATE_FEEDBACK'],
      };
  }
}

function takenBy({ assignee }: ReviewState): ConflictError {
  return new ConflictError(
    `${assignee} reviews it. Ask them, or take it back from them (UNCLAIM), which everybody can see.`,
  );
}

function reviewedBy({ assignee }: ReviewState): ConflictError {
  return new ConflictError(`${assignee} has reviewed it. REOPEN it to review it once more.`);
}
