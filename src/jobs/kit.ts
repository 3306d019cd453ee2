import type { Task } from 'graphile-worker';
import type { z } from 'zod';

export type NamedTask = readonly [name: string, task: Task];

/**
 * Returns a task that validates its payload first. `last` is true if the queue will not retry `run` after a failure.
 */
export function defineTask<Payload>(options: {
  name: string;
  payload: z.ZodType<Payload>;
  run: (payload: Payload, last: boolean) => Promise<void>;
}): NamedTask {
  const { name, payload, run } = options;
  return [name, (given, { job }) => run(payload.parse(given), job.attempts >= job.max_attempts)];
}

/** Returns SQL that notifies the runner of a task, because graphile-worker's own notification names no task. */
export function wake(task: string): string {
  return `pg_notify('jobs:insert', '${JSON.stringify({ count: 1, task })}')`;
}

/**
 * Returns the SQL condition that no job of a task waits for the row with this id. A job that a worker has fetched does not
 * count, nor one that failed for the last time.
 */
export function hasNoJob(task: string, id: string): string {
  return `not exists (select 1 from graphile_worker._private_jobs j where j.key = '${task}:' || ${id}
    and j.locked_at is null and j.attempts < j.max_attempts)`;
}

/** Returns the task that a notification names; `null` for graphile-worker's own notifications. */
export function wokenTask(payload: string | undefined): string | null {
  const [, task = null] = /"task":"([^"]+)"/.exec(payload ?? '') ?? [];
  return task;
}
