import type { AlertSessionRow, ReviewActivityRow } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import { insertInto, type RowWriter, writeSession } from './event-statement.ts';

/** The columns of a session that a review changes. */
export type ReviewValues = Pick<
  AlertSessionRow,
  'reviewStatus' | 'assignee' | 'rating' | 'actionTaken' | 'feedback' | 'reviewedAt'
>;
export type ReviewState = ReviewValues & Pick<AlertSessionRow, 'status'>;

/** Locks sessions' rows in the order of their ids until the transaction ends. Returns the existing sessions by id. */
export async function lockForReview(
  tx: Queryable,
  sessionIds: readonly string[],
): Promise<Map<string, ReviewState>> {
  const { rows } = await tx.query<ReviewState & { id: string }>(
    prepared(`select id, status, review_status as "reviewStatus", assignee, rating, action_taken as "actionTaken", feedback,
       reviewed_at as "reviewedAt"
     from alert_sessions where id = any($1::uuid[]) and deleted_at is null order by id for no key update`),
    [sessionIds],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

const ACTIVITY: RowWriter = {
  name: 'activity',
  ...insertInto('review_activities', 'id uuid, actor text, action text, note text'),
};

/** Stores the state of a review and its new activities. The session's row must be locked. */
export async function writeReview(
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
