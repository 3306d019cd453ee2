import type { Task } from 'graphile-worker';
import type { z } from 'zod';

/** A job type: its name, its payload schema and the engine's function that runs it. */
export interface TaskDefinition<Payload> {
  name: string;
  payload: z.ZodType<Payload>;
  /** @param last true if the queue will not retry after a failure */
  run(payload: Payload, last: boolean): Promise<void>;
}

/** A task with its name, as graphile-worker expects it. */
export type NamedTask = readonly [name: string, task: Task];

/** Turns a definition into a task that validates its payload first. */
export function defineTask<Payload>({ name, payload, run }: TaskDefinition<Payload>): NamedTask {
  return [name, (given, { job }) => run(payload.parse(given), job.attempts >= job.max_attempts)];
}

/**
 * Returns the SQL that notifies the runner of a task about a new job, for use beside `add_job`. The queue's own notification
 * names no task, so all runners would poll.
 */
export function wake(task: string): string {
  return `pg_notify('${JOBS_ADDED}', '${JSON.stringify({ count: 1, task })}')`;
}

/** graphile-worker's notification channel. */
const JOBS_ADDED = 'jobs:insert';

/** Returns the task that a notification names; `null` for the queue's own notifications, which name none. */
export function wokenTask(payload: string | undefined): string | null {
  const [, task = null] = /"task":"([^"]+)"/.exec(payload ?? '') ?? [];
  return task;
}
