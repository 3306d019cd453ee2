import type { ToolCallValue } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import { runBounded } from '../common/concurrency.ts';
import { callsWithApproval } from '../features/approvals/request-approval.ts';
import type { Kept } from '../model/context-window/window.ts';
import type { AgentContext } from '../run-context/types.ts';
import type { NewMessage } from '../store/messages.ts';
import { readBegun, readResults } from '../store/progress.ts';
import { MAX_PARALLEL_TOOL_CALLS, noticeMessage, resultMessage, runToolCalls } from './tool-calls.ts';

/** Told to the model where a call broke off that may have changed something. */
const UNKNOWN_OUTCOME =
  'Error: the connection to this tool broke off before its result was stored. Whether it ran is unknown; it was not run again, because it may change something.';

/** … and where its arguments are not known any more. */
const ARGUMENTS_LOST =
  'Error: the connection to this tool broke off before its result was stored. Whether it ran is unknown; it was not run again, because secrets in its arguments are not kept. Call it again with all of them if that is harmless.';

/** Answers of the model so far = iterations used. */
export function iterationsUsed(messages: readonly NewMessage[]): number {
  return messages.filter(({ role }) => role === 'ASSISTANT').length;
}

/**
 * The results of tool calls that an earlier run made, or may have made, in their order: from the trace where the result was
 * stored, by running them again where the tool says that this is harmless, else by telling the model that it is unknown.
 */
export async function resumeToolCalls(
  context: AgentContext,
  db: Queryable,
  open: readonly ToolCallValue[],
): Promise<NewMessage[]> {
  if (open.length === 0) return [];
  const stored = await readResults(db, context.executionId, open);
  const repeatable = await repeatableTools(context);
  const asked = await callsWithApproval(context);
  const begun = await readBegun(db, context.executionId, open);
  // People are asked about a call that was not begun; one that was, before there was anything to ask, may be over.
  const isAsked = (call: ToolCallValue) =>
    !begun.has(call.id) && context.tools.resolveCall(call)?.definition.ask != null;
  const isSafe = (call: ToolCallValue) => repeatable.has(canonical(call.name)) || isAsked(call);
  const again = open.filter(
    (call) =>
      !stored.has(call.id) &&
      (asked.has(call.id) || (isSafe(call) && !context.masking.isMasked(call.arguments))),
  );
  const results = new Map((await runToolCalls(context, again, context.signal)).map((m) => [m.toolCallId, m]));
  return runBounded(open, MAX_PARALLEL_TOOL_CALLS, async (call) => {
    const result = stored.get(call.id);
    if (result) return resultMessage(context, call, result, result.number ?? undefined, context.signal);
    const notice = context.masking.isMasked(call.arguments) ? ARGUMENTS_LOST : UNKNOWN_OUTCOME;
    return results.get(call.id) ?? noticeMessage(call, notice);
  });
}

async function repeatableTools(context: AgentContext): Promise<Set<string>> {
  const tools = await context.tools.listTools(context.signal);
  return new Set(tools.filter(({ repeatable }) => repeatable).map(({ name }) => name));
}

const canonical = (name: string) => name.replace('__', '.');

/** As the trace of a call tells it; nothing while nothing was left out. */
export function keptAsStored(kept: Kept): { kept?: Kept } {
  return kept.evictedThrough === 0 && kept.maxWeight === null ? {} : { kept };
}

/** What an earlier run of an execution left out of its conversation, so that its next request begins with its last. */
export async function readKept(db: Queryable, executionId: string, model: string): Promise<Kept> {
  const { rows } = await db.query<Kept>(
    `select coalesce(max((request -> 'kept' ->> 'evictedThrough')::int), 0) as "evictedThrough",
       min((request -> 'kept' ->> 'maxWeight')::int) filter (where model_name = $2) as "maxWeight"
     from llm_interactions where execution_id = $1 and type <> 'SUMMARIZATION'`,
    [executionId, model],
  );
  return rows[0]!;
}
