import { z } from 'zod';
import { defineTask, type NamedTask } from '../kit.ts';

export const RUN_SESSION = 'run-session';

/** Task that runs a dispatched session. The job only wakes a worker; the session's row decides whether it runs. */
export function runSessionTask(run: (sessionId: string) => Promise<void>): NamedTask {
  return defineTask({
    name: RUN_SESSION,
    payload: z.object({ sessionId: z.uuid() }),
    run: ({ sessionId }) => run(sessionId),
  });
}
