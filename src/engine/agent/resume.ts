import { runBounded } from '../../common/run-bounded.ts';
import type { ToolCallValue } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import { callsWithApproval } from '../features/approvals/request-approval.ts';
import type { Kept } from '../model/context-window/window.ts';
import { workSignal } from '../run-context/time-budget.ts';
import type { AgentContext } from '../run-context/types.ts';
import type { NewMessage } from '../store/messages.ts';
import { type ExecutionKey, readStartedCalls, readToolResults } from '../store/progress.ts';
import { MAX_PARALLEL_TOOL_CALLS, noticeMessage, resultMessage, runToolCalls } from './tool-calls.ts';

const UNKNOWN_OUTCOME =
  'Error: the connection to this tool was lost before its result was stored. The outcome is unknown. The call was not repeated, because it may change something.';

const ARGUMENTS_LOST =
  'Error: the connection to this tool was lost before its result was stored. The outcome is unknown. The call was not repeated, because secrets in its arguments are not stored. If a second call is harmless, call the tool again with all arguments.';

/**
 * Returns the results of tool calls that an interrupted run may have made, in the order of the calls. A call without a
 * stored result runs again if that is safe. Otherwise its result tells the model that the outcome is unknown.
 */
export async function resumeToolCalls(
  context: AgentContext,
  open: readonly ToolCallValue[],
): Promise<NewMessage[]> {
  if (open.length === 0) return [];
  const { db } = context;
  const key = { sessionId: context.session.id, executionId: context.executionId };
  const stored = await readToolResults(db, key, open);
  const tools = await context.tools.listTools(context.signal);
  const repeatable = new Set(tools.filter((tool) => tool.repeatable).map(({ name }) => name));
  const asked = await callsWithApproval(context);
  const begun = await readStartedCalls(db, key, open);
  // A call that requires approval has not run unless its start is stored. If its start is stored although no
  // approval was requested, the call may have run.
  const needsApproval = (call: ToolCallValue) =>
    !begun.has(call.id) && context.tools.resolveCall(call)?.definition.ask != null;
  const isSafe = (call: ToolCallValue) => repeatable.has(call.name.replace('__', '.')) || needsApproval(call);
  const isMasked = (call: ToolCallValue) => context.masking.isMasked(call.arguments);
  const again = open.filter(
    (call) => !stored.has(call.id) && (asked.has(call.id) || (isSafe(call) && !isMasked(call))),
  );
  const signal = workSignal(context);
  const results = new Map((await runToolCalls(context, again, signal)).map((m) => [m.toolCallId, m]));
  return runBounded(open, MAX_PARALLEL_TOOL_CALLS, async (call) => {
    const result = stored.get(call.id);
    if (result)
      return resultMessage(context, call, { ...result, number: result.number ?? undefined }, signal);
    return results.get(call.id) ?? noticeMessage(call, isMasked(call) ? ARGUMENTS_LOST : UNKNOWN_OUTCOME);
  });
}

/**
 * Returns which tool results earlier runs evicted from the conversation, and the smallest prompt limit that
 * they learned, so that the next prompt leaves out the same.
 */
export async function readKept(
  db: Queryable,
  { sessionId, executionId }: ExecutionKey,
  model: string,
): Promise<Kept> {
  const { rows } = await db.query<Kept>(
    `select coalesce(max((request -> 'kept' ->> 'evictedThrough')::int), 0) as "evictedThrough",
       min((request -> 'kept' ->> 'maxWeight')::int) filter (where model_name = $3) as "maxWeight"
     from llm_interactions where session_id = $1 and execution_id = $2 and type <> 'SUMMARIZATION'`,
    [sessionId, executionId, model],
  );
  return rows[0]!;
}
