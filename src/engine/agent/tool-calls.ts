import type { ToolCallValue } from '../../db/entities/index.ts';
import type { ToolResult } from '../../mcp/types.ts';
import { truncate, UNITS_PER_TOKEN } from '../../text/truncate.ts';
import type { NewMessage } from '../journal/messages.ts';
import { isTimeout, statusOfFailure } from '../run/abort.ts';
import { BreakOffError } from '../run/break-off.ts';
import { ERROR_MESSAGE_MAX_UNITS, MAX_PARALLEL_TOOL_CALLS, STORED_RESULT_MAX_UNITS } from '../tunables.ts';
import { runBounded } from './bounded.ts';
import type { AgentContext } from './context.ts';
import { noticeMessage, resultMessage } from './model-result.ts';
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
  await context.transcript.store();
  let running = calls.length;
  return runBounded(calls, MAX_PARALLEL_TOOL_CALLS, async (call, index) => {
    const message = await runToolCall(context, call, items[index]!, signal);
    running -= 1;
    if (running > 0) await context.transcript.store(); // the last result is stored with the messages
    return message;
  });
}

function openCall({ transcript }: AgentContext, call: ToolCallValue): Promise<OpenItem> {
  const [server, tool] = splitForDisplay(call.name);
  return transcript.openItem('LLM_TOOL_CALL', {
    server_name: server,
    tool_name: tool,
    arguments: transcript.kept([call])[0]!.arguments,
    tool_call_id: call.id,
  });
}

async function runToolCall(
  context: AgentContext,
  call: ToolCallValue,
  item: OpenItem,
  signal: AbortSignal,
): Promise<NewMessage> {
  let result: ToolResult;
  try {
    signal.throwIfAborted();
    result = await context.tools.execute(call, { signal, timeoutMs: context.resolved.timeouts.toolCallMs });
    await recordCall(context, call, result); // first: whoever goes on after a crash finds the result
    await item.close({
      status: result.isError ? 'FAILED' : 'COMPLETED',
      content: truncate(result.content, STORED_RESULT_MAX_UNITS),
      metadata: { is_error: result.isError, duration_ms: Math.round(result.durationMs) },
    });
  } catch (error) {
    if (error instanceof BreakOffError) throw error;
    await item.close({
      status: statusOfFailure(error),
      content: '',
      metadata: { is_error: true, interrupted: true },
    });
    if (context.signal.aborted || !isTimeout(error)) throw error;
    return noticeMessage(
      call,
      'Error: stopped, because the time of this iteration was up. Its outcome is unknown.',
    );
  }
  return resultMessage(context, call, result, item.place, signal);
}

async function recordCall(context: AgentContext, call: ToolCallValue, result: ToolResult): Promise<void> {
  const traceUnits = context.config.defaults.toolResults.traceMaxTokens * UNITS_PER_TOKEN;
  await context.transcript.recordMcp({
    type: 'TOOL_CALL',
    serverName: result.serverName,
    toolName: result.toolName,
    toolCallId: call.id,
    arguments: result.arguments ?? call.arguments,
    result: {
      content: truncate(result.content, traceUnits),
      isError: result.isError,
    },
    availableTools: null,
    durationMs: result.durationMs,
    errorMessage: result.isError ? truncate(result.content, ERROR_MESSAGE_MAX_UNITS) : null,
  });
}

/** `server.tool` or `server__tool` → both parts; a name without a separator is the tool's. */
function splitForDisplay(name: string): [server: string, tool: string] {
  const match = /^([^.]+?)(?:\.|__)(.+)$/s.exec(name);
  return match ? [match[1] ?? '', match[2] ?? ''] : ['', name];
}
