import { z } from 'zod';
import type { Queryable } from '../../db/queryable.ts';
import { defineTask, type NamedTask, wake } from '../kit.ts';

const ANSWER_CHAT = 'answer-chat';

/** Task that answers a question. The job only wakes a worker; the stage's row decides whether an answer is due. */
export function answerChatTask(answer: (stageId: string) => Promise<void>): NamedTask {
  return defineTask({
    name: ANSWER_CHAT,
    payload: z.object({ stageId: z.uuid() }),
    run: ({ stageId }) => answer(stageId),
  });
}

/** Queues the answer to a question within the caller's transaction. */
export async function enqueueAnswer(tx: Queryable, stageId: string): Promise<void> {
  await tx.query(
    `select graphile_worker.add_job('${ANSWER_CHAT}', json_build_object('stageId', $1::text),
       job_key := '${ANSWER_CHAT}:' || $1::text, max_attempts := 1), ${wake(ANSWER_CHAT)}`,
    [stageId],
  );
}
