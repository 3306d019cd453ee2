import { z } from 'zod';
import type { SlackPoint } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SlackNotifier } from '../../engine/features/slack/notifier.ts';
import { STREAMABLE_SESSIONS } from '../../engine/features/slack/streams.ts';
import { quietSql } from '../../engine/store/schedule-runs.ts';
import { defineTask, type NamedTask, wake } from '../kit.ts';

const NOTIFY_SLACK = 'notify-slack';

const slackPoint = z.custom<SlackPoint>(
  (value) =>
    typeof value === 'string' &&
    /^(?:STARTED|PROGRESS|TERMINAL|(?:ANSWER|APPROVAL):[0-9a-f-]{36})$/.test(value),
);

/** Returns the task that posts to Slack about a session. A job only wakes a worker; the post's row is the truth. */
export function notifySlackTask(notifier: SlackNotifier): NamedTask {
  return defineTask({
    name: NOTIFY_SLACK,
    payload: z.object({ sessionId: z.uuid(), point: slackPoint }),
    run: ({ sessionId, point }) => notifier.run(sessionId, point),
  });
}

/** Requests the Slack message for a point of a session, once. STARTED is posted only for alerts from Slack, none for replays. */
export async function requestSlackPost(tx: Queryable, sessionId: string, point: SlackPoint): Promise<void> {
  await tx.query(
    `with added as (
       insert into slack_posts (session_id, point)
       select s.id, $2 from alert_sessions s
       where s.id = $1 and not exists (select 1 from replays p where p.session_id = s.id) and ($2 <> 'STARTED' or s.slack_message_fingerprint is not null)
         and not ${quietSql('s', point)}
       on conflict do nothing returning session_id, point, due_at
     )
     select ${addJob('a')} from added a`,
    [sessionId, point],
  );
}

/**
 * Requests the message about the start of a session that a user in Slack asked for.
 * @param origin thread of the message, or `null`, and the id of the user
 */
export async function requestSlackStart(
  tx: Queryable,
  sessionId: string,
  { threadTs, user }: { threadTs: string | null; user: string },
): Promise<void> {
  await tx.query(
    `with added as (
       insert into slack_posts (session_id, point, thread_ts, recipient) values ($1, 'STARTED', $2, $3)
       on conflict do nothing returning session_id, point, due_at
     )
     select ${addJob('a')} from added a`,
    [sessionId, threadTs, user],
  );
}

/**
 * Requests the streams of running sessions, the messages about calls that wait for approval, and those about answers to
 * questions from Slack.
 */
export async function requestSlackNews(db: Queryable): Promise<void> {
  await db.query(
    `with added as (
       insert into slack_posts (session_id, point, thread_ts) ${STREAMABLE_SESSIONS}
       on conflict do nothing returning session_id, point, due_at
     )
     select ${addJob('a')} from added a`,
  );
  await db.query(
    `with added as (
       insert into slack_posts (session_id, point)
       select a.session_id, 'APPROVAL:' || a.id from approvals a join alert_sessions s on s.id = a.session_id
       where a.status = 'PENDING' and a.expires_at > now() and s.deleted_at is null
         and not exists (select 1 from slack_posts p where p.session_id = a.session_id and p.point = 'APPROVAL:' || a.id)
       order by a.requested_at limit 50
       on conflict do nothing returning session_id, point, due_at
     )
     select ${addJob('a')} from added a`,
  );
  await db.query(
    `with ended as (
       select r.id, r.thread_ts, st.session_id, st.id as stage_id
       from slack_requests r join stages st on st.chat_message_id = r.id
       where r.status = 'ASKED' and st.status not in ('PENDING', 'ACTIVE') limit 50
     ), done as (
       update slack_requests r set status = 'DONE' from ended e where r.id = e.id
     ), added as (
       insert into slack_posts (session_id, point, thread_ts)
       select session_id, 'ANSWER:' || stage_id, thread_ts from ended
       on conflict do nothing returning session_id, point, due_at
     )
     select ${addJob('a')} from added a`,
  );
}

export async function enqueueSlackPost(db: Queryable, sessionId: string, point: SlackPoint): Promise<void> {
  await db.query(
    `select ${addJob('p')} from slack_posts p where session_id = $1 and point = $2 and status = 'WAITING'`,
    [sessionId, point],
  );
}

/** Adds jobs again for overdue messages, whose jobs may be lost. Duplicates are harmless: a message is claimed once. */
export async function renewSlackPosts(db: Queryable): Promise<void> {
  await db.query(
    `with overdue as (
       select session_id, point from slack_posts
       where status = 'WAITING' and due_at < now() - interval '30 seconds'
       order by due_at limit 100 for update skip locked
     ), renewed as (
       update slack_posts p set due_at = now() from overdue o
       where p.session_id = o.session_id and p.point = o.point returning p.*
     )
     select ${addJob('r')} from renewed r`,
  );
}

/** Messages that wait for another attempt after a failed one. A message has no error during an attempt. */
const BEHIND = `status = 'WAITING' and error is not null and due_at > now()`;

export async function areSlackPostsBehind(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query(`select 1 from slack_posts where ${BEHIND} limit 1`);
  return rowCount === 1;
}

/** Makes the messages due that wait for another attempt, because Slack is back. */
export async function resumeSlackPosts(db: Queryable): Promise<void> {
  await db.query(
    `with resumed as (
       update slack_posts set due_at = now() where ${BEHIND} returning session_id, point, due_at
     )
     select ${addJob('r')} from resumed r`,
  );
}

/** Returns SQL that adds a job for one attempt. The row, not the queue, decides when the next attempt is due. */
function addJob(row: string): string {
  return `graphile_worker.add_job('${NOTIFY_SLACK}',
    json_build_object('sessionId', ${row}.session_id, 'point', ${row}.point),
    job_key := '${NOTIFY_SLACK}:' || ${row}.session_id || ':' || ${row}.point, run_at := ${row}.due_at, max_attempts := 1),
    ${wake(NOTIFY_SLACK)}`;
}
