import type { ToolCallValue } from '../../db/entities/index.ts';
import { isConnectionLost } from '../events/connection-lost.ts';
import type { ToolResult } from '../mcp/types.ts';
import { untrusted } from '../prompts/untrusted.ts';
import { MAX_PARALLEL_TOOL_CALLS, MODEL_RESULT_MAX_UNITS, STORED_RESULT_MAX_UNITS } from '../tunables.ts';
import { isTimeout, mustNotWrite, statusOfFailure } from './abort.ts';
import type { AgentContext } from './agent.ts';
import type { NewMessage } from './records.ts';
import type { OpenItem } from './transcript.ts';

/**
 * Runs the tool calls of one response side by side (bounded) and returns their results as messages in the order of
 * the calls. A tool that fails or takes too long is a result like any other: the model decides what it means.
 * @param signal aborts with the iteration or the session; calls it cuts off are answered as such
 * @throws the session's abort reason
 */
export async function runToolCalls(
  context: AgentContext,
  calls: readonly ToolCallValue[],
  signal: AbortSignal,
): Promise<NewMessage[]> {
  const items: OpenItem[] = []; // in the order of the calls, whatever the order in which they end
  for (const call of calls) items.push(await openCall(context, call));
  const results: PromiseSettledResult<NewMessage>[] = new Array(calls.length);
  let next = 0;
  async function worker(): Promise<void> {
    while (next < calls.length) {
      const index = next++;
      // Settled, not thrown: every call ends its own item before the first failure is passed on.
      const run = runToolCall(context, calls[index]!, items[index]!, signal);
      [results[index]] = (await Promise.allSettled([run])) as [PromiseSettledResult<NewMessage>];
    }
  }
  await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL_TOOL_CALLS, calls.length) }, worker));
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

function openCall({ transcript }: AgentContext, call: ToolCallValue): Promise<OpenItem> {
  const [server, tool] = splitForDisplay(call.name);
  return transcript.openItem('LLM_TOOL_CALL', {
    server_name: server,
    tool_name: tool,
    arguments: call.arguments,
    tool_call_id: call.id,
  });
}

async function runToolCall(
  context: AgentContext,
  call: ToolCallValue,
  item: OpenItem,
  signal: AbortSignal,
): Promise<NewMessage> {
  const { tools, limits } = context;
  try {
    signal.throwIfAborted();
    const result = await tools.execute(call, { signal, timeoutMs: limits.toolCallMs });
    await recordCall(context, call, result); // first: whoever goes on after a crash finds the result
    await item.close({
      status: result.isError ? 'FAILED' : 'COMPLETED',
      content: cut(result.content, STORED_RESULT_MAX_UNITS),
      metadata: { is_error: result.isError, duration_ms: Math.round(result.durationMs) },
    });
    return resultMessage(call, result.content);
  } catch (error) {
    if (mustNotWrite(error) || isConnectionLost(error)) throw error;
    await item.close({
      status: statusOfFailure(error),
      content: '',
      metadata: { is_error: true, interrupted: true },
    });
    if (context.signal.aborted || !isTimeout(error)) throw error;
    return resultMessage(
      call,
      'Error: stopped, because the time of this iteration was up. Its outcome is unknown.',
    );
  }
}

async function recordCall(context: AgentContext, call: ToolCallValue, result: ToolResult): Promise<void> {
  await context.transcript.recordMcp({
    type: 'TOOL_CALL',
    serverName: result.serverName,
    toolName: result.toolName,
    toolCallId: call.id,
    arguments: result.arguments ?? call.arguments,
    result: { content: cut(result.content, STORED_RESULT_MAX_UNITS), isError: result.isError },
    availableTools: null,
    durationMs: result.durationMs,
    errorMessage: result.isError ? cut(result.content, 2000) : null,
  });
}

function resultMessage(call: ToolCallValue, content: string): NewMessage {
  const text = untrusted('TOOL RESULT', cut(content, MODEL_RESULT_MAX_UNITS));
  return { role: 'TOOL', content: text, toolCallId: call.id, toolName: call.name };
}

/** The text up to a limit, cut at the end of a line where one is near, saying how much is missing. */
function cut(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const lineEnd = text.lastIndexOf('\n', maxUnits);
  const end = lineEnd > maxUnits * 0.8 ? lineEnd : maxUnits;
  return `${text.slice(0, end).toWellFormed()}\n[… cut: ${text.length - end} of ${text.length} characters left out]`;
}

/** `server.tool` or `server__tool` → both parts; a name without a separator is the tool's. */
function splitForDisplay(name: string): [server: string, tool: string] {
  const match = /^([^.]+?)(?:\.|__)(.+)$/s.exec(name);
  return match ? [match[1] ?? '', match[2] ?? ''] : ['', name];
}
