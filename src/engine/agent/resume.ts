import type { ToolCallValue } from '../../db/entities/index.ts';
import type { Queryable } from '../events/log.ts';
import { untrusted } from '../prompts/untrusted.ts';
import type { AgentContext } from './agent.ts';
import type { NewMessage } from './records.ts';
import { runToolCalls } from './tool-calls.ts';

/** Told to the model where a call broke off that may have changed something. */
const UNKNOWN_OUTCOME =
  'Error: the connection to this tool broke off before its result was stored. Whether it ran is unknown; it was not run again, because it may change something.';

/** Answers of the model so far = iterations used. */
export function iterationsUsed(messages: readonly NewMessage[]): number {
  return messages.filter(({ role }) => role === 'ASSISTANT').length;
}

/**
 * Answers the tool calls that an earlier run left without a result: from the trace where the result was stored,
 * by running them again where the tool says that this is harmless, else by telling the model that it is unknown.
 */
export async function answerOpenToolCalls(context: AgentContext, db: Queryable): Promise<void> {
  const open = openToolCalls(context.transcript.messages);
  for (const message of await settleToolCalls(context, db, open))
    await context.transcript.addMessage(message);
}

/** The results of tool calls that an earlier run made, or may have made, in their order. */
export async function settleToolCalls(
  context: AgentContext,
  db: Queryable,
  open: readonly ToolCallValue[],
): Promise<NewMessage[]> {
  if (open.length === 0) return [];
  const stored = await readStoredResults(db, context.executionId, open);
  const repeatable = await repeatableTools(context);
  const again = open.filter((call) => !stored.has(call.id) && repeatable.has(canonical(call.name)));
  const results = new Map((await runToolCalls(context, again, context.signal)).map((m) => [m.toolCallId, m]));
  return open.map((call) => {
    const content = untrusted('TOOL RESULT', stored.get(call.id) ?? UNKNOWN_OUTCOME);
    return results.get(call.id) ?? { role: 'TOOL', content, toolCallId: call.id, toolName: call.name };
  });
}

/** Calls of the last answer that no message answers. */
function openToolCalls(messages: readonly NewMessage[]): readonly ToolCallValue[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'ASSISTANT');
  const answered = new Set(messages.slice(lastAnswer + 1).map(({ toolCallId }) => toolCallId));
  return (messages[lastAnswer]?.toolCalls ?? []).filter(({ id }) => !answered.has(id));
}

async function readStoredResults(
  db: Queryable,
  executionId: string,
  calls: readonly ToolCallValue[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; content: string }>(
    `select tool_call_id as id, result->>'content' as content from mcp_interactions
     where execution_id = $1 and type = 'TOOL_CALL' and tool_call_id = any($2)`,
    [executionId, calls.map(({ id }) => id)],
  );
  return new Map(rows.map(({ id, content }) => [id, content]));
}

async function repeatableTools(context: AgentContext): Promise<Set<string>> {
  const tools = await context.tools.listTools(context.signal);
  return new Set(tools.filter(({ readOnly, idempotent }) => readOnly || idempotent).map(({ name }) => name));
}

const canonical = (name: string) => name.replace('__', '.');
