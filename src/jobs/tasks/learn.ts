import { z } from 'zod';
import type { Queryable } from '../../db/queryable.ts';
import { defineTask, type NamedTask, wake } from '../kit.ts';

const LEARN = 'learn';

/** Task that learns memories from a session. The session's row decides whether it may. */
export function learnTask(learn: (sessionId: string, last: boolean) => Promise<void>): NamedTask {
  return defineTask({
    name: LEARN,
    payload: z.object({ sessionId: z.uuid() }),
    run: ({ sessionId }, last) => learn(sessionId, last),
  });
}

/** Queues learning from a session within the caller's transaction. */
export async function enqueueLearning(tx: Queryable, sessionId: string): Promise<void> {
  await tx.query(
    `select graphile_worker.add_job('${LEARN}', json_build_object('sessionId', $1::text),
       job_key := '${LEARN}:' || $1::text, max_attempts := 5), ${wake(LEARN)}`,
    [sessionId],
  );
}
