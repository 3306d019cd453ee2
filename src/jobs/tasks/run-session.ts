import { z } from 'zod';
import { defineTask, type NamedTask } from '../kit.ts';

export const RUN_SESSION = 'run-session';

/** Wakes a worker for a dispatched session. The session's row decides whether there is anything to do. */
export function runSessionTask(run: (sessionId: string) => Promise<void>): NamedTask {
  return defineTask({
    name: RUN_SESSION,
    payload: z.object({ sessionId: z.uuid() }),
    run: ({ sessionId }) => run(sessionId),
  });
}
