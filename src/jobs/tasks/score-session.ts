import { z } from 'zod';
import type { Queryable } from '../../db/queryable.ts';
import { defineTask, type NamedTask, wake } from '../kit.ts';

const SCORE_SESSION = 'score-session';

/** Task that scores a session. The job only wakes a worker; the score's row decides whether it runs. */
export function scoreSessionTask(score: (scoreId: string) => Promise<void>): NamedTask {
  return defineTask({
    name: SCORE_SESSION,
    payload: z.object({ scoreId: z.uuid() }),
    run: ({ scoreId }) => score(scoreId),
  });
}

/** Queues a score within the caller's transaction. A score that is already queued keeps its position. */
export async function enqueueScore(tx: Queryable, scoreId: string): Promise<void> {
  await tx.query(
    `select graphile_worker.add_job('${SCORE_SESSION}', json_build_object('scoreId', $1::text),
       job_key := '${SCORE_SESSION}:' || $1::text, job_key_mode := 'preserve_run_at', max_attempts := 1), ${wake(SCORE_SESSION)}`,
    [scoreId],
  );
}
