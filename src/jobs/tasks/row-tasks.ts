import { z } from 'zod';
import type { Queryable } from '../../db/queryable.ts';
import { defineTask, type NamedTask, wake } from '../kit.ts';

/** Payload key of each task whose job carries only a row's id. The row, not the job, decides whether work is due. */
const PAYLOAD_KEYS = {
  'run-session': 'sessionId',
  'answer-chat': 'stageId',
  'score-session': 'scoreId',
  learn: 'sessionId',
} as const;
type RowTask = keyof typeof PAYLOAD_KEYS;

/** @param run does the work of a row; `last` is true if the queue will not retry a failure */
export function rowTask(name: RowTask, run: (id: string, last: boolean) => Promise<void>): NamedTask {
  const key = PAYLOAD_KEYS[name];
  return defineTask({
    name,
    payload: z.object({ [key]: z.uuid() }),
    run: (payload, last) => run(payload[key]!, last),
  });
}

const enqueue = (name: RowTask, options: string) => async (tx: Queryable, id: string) => {
  await tx.query(
    `select graphile_worker.add_job('${name}', json_build_object('${PAYLOAD_KEYS[name]}', $1::text),
       job_key := '${name}:' || $1::text, ${options}), ${wake(name)}`,
    [id],
  );
};

/** Queues the answer to a question within the caller's transaction; the id is that of the question's chat stage. */
export const enqueueAnswer = enqueue('answer-chat', 'max_attempts := 1');

/** Queues a score within the caller's transaction. A score that is already queued keeps its position. */
export const enqueueScore = enqueue('score-session', `job_key_mode := 'preserve_run_at', max_attempts := 1`);

/** Queues the extraction of memories from a session within the caller's transaction. */
export const enqueueLearning = enqueue('learn', 'max_attempts := 5');
