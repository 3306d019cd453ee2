import type { ApprovalRow } from '../../../db/entities/index.ts';
import type { Queryable } from '../../../db/queryable.ts';
import { answerToGoOn } from '../../store/chats.ts';
import { writeIf } from '../../store/event-statement.ts';
import { unparkSession } from '../../store/open-work.merge1.ts';
import { addItem } from '../../store/timeline.ts';

export interface GoOnDeps {
  /** Gives free slots to waiting sessions; runs within the transaction it is handed. */
  dispatch: (tx: Queryable) => Promise<void>;
  /** Queues the answer to a question; runs within the transaction it is handed. */
  enqueueAnswer: (tx: Queryable, stageId: string) => Promise<void>;
}

/**
 * Tells the timeline what was decided about a call, and queues what waited for that, within the transaction that decided; the
 * session's row must be locked. A run that goes on meanwhile looks for itself.
 * @param content in words
 */
export async function goOn(
  { dispatch, enqueueAnswer }: GoOnDeps,
  tx: Queryable,
  { id, sessionId, stageId, executionId, server, tool, status }: ApprovalRow,
  content: string,
): Promise<void> {
  const metadata = { approval_id: id, server_name: server, tool_name: tool, status };
  const item = { type: 'APPROVAL_DECIDED', status: 'COMPLETED', content, metadata } as const;
  const open = { guard: 's.deleted_at is null', values: [] };
  await writeIf(tx, sessionId, open, [addItem({ stageId, executionId }, item)]);
  if (await unparkSession(tx, sessionId)) return dispatch(tx);
  const answer = await answerToGoOn(tx, sessionId);
  if (answer !== null) await enqueueAnswer(tx, answer);
}
