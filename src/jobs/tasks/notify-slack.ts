import { z } from 'zod';
import { SLACK_POINTS, type SlackPoint } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SlackNotifier } from '../../engine/features/slack/notifier.ts';
import { defineTask, type NamedTask, wake } from '../kit.ts';

const NOTIFY_SLACK = 'notify-slack';

/** Returns the task that posts to Slack about a session. A job only wakes a worker; the post's row is the truth. */
export function notifySlackTask(notifier: SlackNotifier): NamedTask {
  return defineTask({
    name: NOTIFY_SLACK,
    payload: z.object({ sessionId: z.uuid(), point: z.enum(SLACK_POINTS) }),
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
       on conflict do nothing returning session_id, point, due_at
     )
     select ${addJob('a')} from added a`,
    [sessionId, point],
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

/** Returns SQL that adds a job for one attempt. The row, not the queue, decides when the next attempt is due. */
function addJob(row: string): string {
  return `graphile_worker.add_job('${NOTIFY_SLACK}',
    json_build_object('sessionId', ${row}.session_id, 'point', ${row}.point),
    job_key := '${NOTIFY_SLACK}:' || ${row}.session_id || ':' || ${row}.point, run_at := ${row}.due_at, max_attempts := 1),
    ${wake(NOTIFY_SLACK)}`;
}
