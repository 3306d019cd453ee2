import { z } from 'zod';
import type { Queryable } from '../../db/queryable.ts';
import type { StoreRequest } from '../../slack/requests.ts';
import { defineTask, type NamedTask, wake } from '../kit.ts';

const HANDLE_SLACK = 'handle-slack';

/** Returns the task that handles a request from Slack. A job only wakes a process; the request's row is the truth. */
export function handleSlackTask(run: (requestId: string) => Promise<void>): NamedTask {
  return defineTask({
    name: HANDLE_SLACK,
    payload: z.object({ requestId: z.uuid() }),
    run: ({ requestId }) => run(requestId),
  });
}

/** Stores a request and adds its job in one statement. */
export const createRequestStore =
  (db: Queryable): StoreRequest =>
  async ({ id, key, content }) => {
    const { rows } = await db.query(
      `with added as (
         insert into slack_requests (id, key, content) values ($1, $2, $3)
         on conflict (key) do nothing returning id, due_at
       )
       select ${addJob('a')} from added a`,
      [id, key, JSON.stringify(content)],
    );
    return rows.length > 0;
  };

/** Adds the job of a request again, for the time when it is due. */
export async function enqueueRequest(db: Queryable, requestId: string): Promise<void> {
  await db.query(`select ${addJob('r')} from slack_requests r where id = $1 and status = 'WAITING'`, [
    requestId,
  ]);
}

/** Adds jobs again for overdue requests, whose jobs may be lost. Duplicates are harmless: a request is claimed once. */
export async function renewRequests(db: Queryable): Promise<void> {
  await db.query(
    `with overdue as (
       select id from slack_requests where status = 'WAITING' and due_at < now() - interval '10 seconds'
       order by due_at limit 100 for update skip locked
     ), renewed as (
       update slack_requests r set due_at = now() from overdue o where r.id = o.id returning r.id, r.due_at
     )
     select ${addJob('r')} from renewed r`,
  );
}

function addJob(row: string): string {
  return `graphile_worker.add_job('${HANDLE_SLACK}', json_build_object('requestId', ${row}.id),
    job_key := '${HANDLE_SLACK}:' || ${row}.id, run_at := ${row}.due_at, max_attempts := 1), ${wake(HANDLE_SLACK)}`;
}
