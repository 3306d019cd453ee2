import type { SlackPostRow } from '../../../db/entities/index.ts';
import type { SlackPoint } from '../../../db/enums.ts';
import type { Queryable, Transaction } from '../../../db/queryable.ts';
import type { SessionSnapshot } from '../../api/engine.ts';
import { decodeRow } from '../../live/event-log.ts';

/** Asks for a message about a session, within the transaction that brings the session to this point. */
export type NotifySlack = (tx: Queryable, sessionId: string, point: SlackPoint) => Promise<void>;

/** Brings a session to a point, and asks for the message about it where there is somebody to write it: together. */
export function withPost(
  deps: { db: Queryable; transaction: Transaction; notifySlack: NotifySlack | null },
  point: SlackPoint,
  change: (db: Queryable) => Promise<SessionSnapshot | null>,
): Promise<SessionSnapshot | null> {
  const { db, transaction, notifySlack } = deps;
  if (notifySlack === null) return change(db);
  return transaction(async (tx) => {
    const session = await change(tx);
    if (session) await notifySlack(tx, session.id, point);
    return session;
  });
}

/** How long an attempt may take (s) before another one takes its place: more than SLACK_ATTEMPT_MS. */
const ATTEMPT_LEASE_S = 90;

/** Which attempt writes: a later one takes the post over. */
export type PostFence = Pick<SlackPostRow, 'sessionId' | 'point' | 'attempts'>;

/** Takes a post that is due; null when it is not, or when it is done. */
export async function claimPost(
  db: Queryable,
  sessionId: string,
  point: SlackPoint,
): Promise<SlackPostRow | null> {
  // A second of grace: the job may be woken a fraction before the moment that is stored.
  const { rows } = await db.query<{ row: Record<string, unknown> }>(
    `update slack_posts p set attempts = attempts + 1, due_at = now() + interval '${ATTEMPT_LEASE_S} seconds'
     where session_id = $1 and point = $2 and status = 'WAITING' and due_at <= now() + interval '1 second'
     returning to_jsonb(p) as row`,
    [sessionId, point],
  );
  return rows[0] ? decodeRow<SlackPostRow>(rows[0].row) : null;
}

/** The thread that the session's first message went to, when it did. */
export async function threadOfStart(db: Queryable, sessionId: string): Promise<string | null> {
  const { rows } = await db.query<{ thread_ts: string | null }>(
    `select thread_ts from slack_posts where session_id = $1 and point = 'STARTED'`,
    [sessionId],
  );
  return rows[0]?.thread_ts ?? null;
}

/** Changes to a claimed post. */
export interface PostChange {
  status?: SlackPostRow['status'];
  /** Milliseconds from now until the next attempt. */
  dueInMs?: number;
  /** true = from now on, unless it is set; false = no attempt has posted. */
  sending?: boolean;
  threadTs?: string | null;
  messageTs?: string;
  error?: string | null;
}

/** Writes to a post under the fence of its attempt; false when another attempt has it. */
export async function changePost(db: Queryable, fence: PostFence, change: PostChange): Promise<boolean> {
  const values: unknown[] = [fence.sessionId, fence.point, fence.attempts];
  const value = (of: unknown) => `$${values.push(of)}`;
  const assign: string[] = [];
  if (change.status !== undefined) assign.push(`status = ${value(change.status)}`);
  if (change.status === 'POSTED') assign.push('posted_at = now()');
  if (change.dueInMs !== undefined)
    assign.push(`due_at = now() + ${value(change.dueInMs)} * interval '1 millisecond'`);
  if (change.sending === true) assign.push('sending_at = coalesce(sending_at, now())');
  if (change.sending === false) assign.push('sending_at = null');
  if (change.threadTs !== undefined) assign.push(`thread_ts = ${value(change.threadTs)}`);
  if (change.messageTs !== undefined) assign.push(`message_ts = ${value(change.messageTs)}`);
  if (change.error !== undefined) assign.push(`error = ${value(change.error)}`);
  const { rowCount } = await db.query(
    `update slack_posts set ${assign.join(', ')}
     where session_id = $1 and point = $2 and attempts = $3 and status = 'WAITING'`,
    values,
  );
  return rowCount === 1;
}
