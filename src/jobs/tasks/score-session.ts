import { z } from 'zod';
import type { Queryable } from '../../db/queryable.ts';
import { defineTask, type NamedTask, wake } from '../kit.ts';

const SCORE_SESSION = 'score-session';

/** Wakes a worker for a score. Its row decides whether there is anything to do. */
export function scoreSessionTask(score: (scoreId: string) => Promise<void>): NamedTask {
  return defineTask({
    name: SCORE_SESSION,
    payload: z.object({ scoreId: z.uuid() }),
    run: ({ scoreId }) => score(scoreId),
  });
}

/** Queues the making of a score, within the caller's transaction. One that waits keeps its place. */
export async function enqueueScore(tx: Queryable, scoreId: string): Promise<void> {
  await tx.query(
    `select graphile_worker.add_job('${SCORE_SESSION}', json_build_object('scoreId', $1::text),
       job_key := '${SCORE_SESSION}:' || $1::text, job_key_mode := 'preserve_run_at', max_attempts := 1), ${wake(SCORE_SESSION)}`,
    [scoreId],
  );
}
