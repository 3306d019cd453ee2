import { uuidv7 } from '../common/uuidv7.ts';
import type { SlackRequestRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import type { RequestContent } from './payload.ts';

/** Lease of a claimed request (s). Afterwards another attempt may claim it. */
const LEASE_S = 60;

/** Stores a request and adds its job. Returns false if a request with this key is stored already. */
export type StoreRequest = (request: {
  id: string;
  key: string;
  content: RequestContent;
}) => Promise<boolean>;

/** A claimed request. */
export type ClaimedRequest = Pick<SlackRequestRow, 'id' | 'attempts' | 'content'>;

export function newRequest(key: string, content: RequestContent) {
  return { id: uuidv7(), key, content };
}

/** Claims a request that is due; `null` if it is not due or already handled. */
export async function claimRequest(db: Queryable, requestId: string): Promise<ClaimedRequest | null> {
  const { rows } = await db.query<ClaimedRequest>(
    `update slack_requests set attempts = attempts + 1, due_at = now() + interval '${LEASE_S} seconds'
     where id = $1 and status = 'WAITING' and due_at <= now() + interval '1 second' returning id, attempts, content`,
    [requestId],
  );
  return rows[0] ?? null;
}

/** Ends a claimed request. A question stays ASKED until its answer is posted into the thread. */
export async function endRequest(
  db: Queryable,
  { id, attempts }: ClaimedRequest,
  end: { status: 'DONE' } | { status: 'FAILED'; error: string } | { status: 'ASKED'; threadTs: string },
): Promise<void> {
  await db.query(
    `update slack_requests set status = $3, error = $4, thread_ts = $5, content = null
     where id = $1 and attempts = $2 and status = 'WAITING'`,
    [id, attempts, end.status, 'error' in end ? end.error : null, 'threadTs' in end ? end.threadTs : null],
  );
}

/** Returns a claimed request to the queue for a later attempt. Returns false if another attempt has claimed it. */
export async function postponeRequest(
  db: Queryable,
  { id, attempts }: ClaimedRequest,
  { inMs, error }: { inMs: number; error: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update slack_requests set due_at = now() + $3 * interval '1 millisecond', error = $4
     where id = $1 and attempts = $2 and status = 'WAITING'`,
    [id, attempts, inMs, error],
  );
  return rowCount === 1;
}

/** Days for which requests are kept, so that repeated ones are recognized. */
const KEPT_DAYS = 7;

export async function removeOldRequests(db: Queryable): Promise<void> {
  await db.query('delete from slack_requests where created_at < now() - make_interval(days => $1)', [
    KEPT_DAYS,
  ]);
}
