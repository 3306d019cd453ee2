import type { Task } from 'graphile-worker';
import type { z } from 'zod';

/** A kind of job: its name, what its payload holds, and the engine's function that does it. */
export interface TaskDefinition<Payload> {
  name: string;
  payload: z.ZodType<Payload>;
  /** @param last whether the queue does not try again when this fails */
  run(payload: Payload, last: boolean): Promise<void>;
}

/** A task under its name, as the queue wants it. */
export type NamedTask = readonly [name: string, task: Task];

/** A payload that does not fit is refused before anything is done. */
export function defineTask<Payload>({ name, payload, run }: TaskDefinition<Payload>): NamedTask {
  return [name, (given, { job }) => run(payload.parse(given), job.attempts >= job.max_attempts)];
}

/**
 * SQL that tells the runner of a task that a job of it was added, beside the `add_job`. The queue itself tells all runners
 * of any job, without its name, and each of them would look for it.
 */
export function wake(task: string): string {
  return `pg_notify('${JOBS_ADDED}', '${JSON.stringify({ count: 1, task })}')`;
}

/** The queue's own channel. */
const JOBS_ADDED = 'jobs:insert';

/** For whom a message on the channel is; null: the queue sent it, for whomever. */
export function wokenTask(payload: string | undefined): string | null {
  const [, task = null] = /"task":"([^"]+)"/.exec(payload ?? '') ?? [];
  return task;
}
