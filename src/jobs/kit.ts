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
