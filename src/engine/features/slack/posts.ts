import type { SlackPostRow } from '../../../db/entities/index.ts';
import type { SlackPoint } from '../../../db/enums.ts';
import type { Queryable, Transaction } from '../../../db/queryable.ts';
import type { SessionSnapshot } from '../../api/engine.ts';
import { decodeRow } from '../../live/event-log.ts';

/** Queues a message about a session within the transaction that starts or ends the session. */
export type NotifySlack = (tx: Queryable, sessionId: string, point: SlackPoint) => Promise<void>;

/** Changes a session and queues the Slack message about it in one transaction. Without Slack, it queues nothing. */
export function withSlackPost(
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

/** Lease of a claimed post (s), longer than `SLACK_ATTEMPT_MS`. Afterwards another attempt may claim the post. */
const ATTEMPT_LEASE_S = 90;

/** Claims a post that is due; `null` if it is not due or already finished. Only a post that waits has an error. */
export async function claimPost(
  db: Queryable,
  sessionId: string,
  point: SlackPoint,
): Promise<SlackPostRow | null> {
  // One second of grace, because the job may start a fraction before the stored time.
  const { rows } = await db.query<{ row: Record<string, unknown> }>(
    `update slack_posts p set attempts = attempts + 1, error = null, due_at = now() + interval '${ATTEMPT_LEASE_S} seconds'
     where session_id = $1 and point = $2 and status = 'WAITING' and due_at <= now() + interval '1 second'
     returning to_jsonb(p) as row`,
    [sessionId, point],
  );
  return rows[0] ? decodeRow<SlackPostRow>(rows[0].row) : null;
}

/** Moves a post that is due to a later time without an attempt. Returns false if it is not due or already finished. */
export async function postponePost(
  db: Queryable,
  { sessionId, point }: Pick<SlackPostRow, 'sessionId' | 'point'>,
  inMs: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update slack_posts set due_at = now() + $3 * interval '1 millisecond'
     where session_id = $1 and point = $2 and status = 'WAITING' and due_at <= now() + interval '1 second'`,
    [sessionId, point, inMs],
  );
  return rowCount === 1;
}

/**
 * Returns the thread of the session's other messages; `null` if there is none yet. The end of a session goes into the
 * thread of its start. Answers and approvals also go below a message that the session has in the channel.
 */
export async function readThread(
  db: Queryable,
  { sessionId, point }: SlackPostRow,
  isSearched: boolean,
): Promise<string | null> {
  const isSession = point === 'STARTED' || point === 'TERMINAL';
  const { rows } = await db.query<{ ts: string | null }>(
    `select coalesce(thread_ts, case when $2 then message_ts end) as ts from slack_posts
     where session_id = $1 and (point = 'STARTED' or $3) and point <> $4
       and coalesce(thread_ts, case when $2 then message_ts end) is not null
     order by created_at limit 1`,
    [sessionId, !isSession || !isSearched, !isSession, point],
  );
  return rows[0]?.ts ?? null;
}

/** Returns the session whose messages are in a thread; the newest if there are several, `null` if there is none. */
export async function findSessionOfThread(db: Queryable, threadTs: string): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    `select p.session_id as id from slack_posts p join alert_sessions s on s.id = p.session_id
     where (p.thread_ts = $1 or p.message_ts = $1) and s.deleted_at is null order by s.created_at desc limit 1`,
    [threadTs],
  );
  return rows[0]?.id ?? null;
}

export interface PostChange {
  status?: SlackPostRow['status'];
  /** Delay until the next attempt (ms). */
  dueInMs?: number;
  /** `true` if the attempt does not count, because Slack refused it unread. */
  isUncounted?: boolean;
  /**
   * `true` stores when sending began, unless stored already. `false` clears that time, because it is then
   * known whether the message was posted.
   */
  sending?: boolean;
  threadTs?: string | null;
  messageTs?: string;
  /** `true` marks the posted message as streaming since its sending began. */
  isStream?: boolean;
  /** State that the posted message shows. */
  shown?: string | null;
  error?: string | null;
}

/** Updates a claimed post. Returns `false` if another attempt has claimed it. */
export async function changePost(db: Queryable, post: SlackPostRow, change: PostChange): Promise<boolean> {
  const values: unknown[] = [post.sessionId, post.point, post.attempts];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const assign: string[] = [];
  if (change.status !== undefined) assign.push(`status = ${parameter(change.status)}`);
  if (change.status === 'POSTED') assign.push('posted_at = now()');
  if (change.dueInMs !== undefined)
    assign.push(`due_at = now() + ${parameter(change.dueInMs)} * interval '1 millisecond'`);
  if (change.isUncounted) assign.push('attempts = attempts - 1');
  if (change.sending === true) assign.push('sending_at = coalesce(sending_at, now())');
  if (change.sending === false) assign.push('sending_at = null');
  if (change.threadTs !== undefined) assign.push(`thread_ts = ${parameter(change.threadTs)}`);
  if (change.messageTs !== undefined) assign.push(`message_ts = ${parameter(change.messageTs)}`);
  if (change.isStream) assign.push('streaming_since = coalesce(sending_at, now())');
  if (change.shown !== undefined) assign.push(`shown = ${parameter(change.shown)}`);
  if (change.error !== undefined) assign.push(`error = ${parameter(change.error)}`);
  const { rowCount } = await db.query(
    `update slack_posts set ${assign.join(', ')}
     where session_id = $1 and point = $2 and attempts = $3 and status = 'WAITING'`,
    values,
  );
  return rowCount === 1;
}
