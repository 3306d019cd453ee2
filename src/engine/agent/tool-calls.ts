import { storable } from '../../common/storable.ts';
import { truncate, UNITS_PER_TOKEN } from '../../common/truncate.ts';
import type { ToolCallValue } from '../../db/entities/index.ts';
import type { ToolResult } from '../../mcp/types.ts';
import { runBounded } from '../common/concurrency.ts';
import {
  BreakOffError,
  isTimeout,
  statusOfFailure,
  WaitingForApprovalError,
} from '../common/interruptions.ts';
import { type Gated, gateCalls } from '../features/approvals/request-approval.ts';
import { resultLimits } from '../features/tool-outputs/tools.ts';
import type { OpenItem } from '../run-context/transcript.ts';
import type { AgentContext } from '../run-context/types.ts';
import { endApproved } from '../store/approvals.ts';
import type { NewMessage } from '../store/messages.ts';
import { noticeMessage, resultMessage } from './tool-result-for-model.ts';

/** Tool calls of one response that run side by side. */
export const MAX_PARALLEL_TOOL_CALLS = 4;

/**
 * Text of a tool result kept in the timeline, and given to the model when it could not be summarized, in UTF-16 code
 * units: 8k tokens at 4 a token.
 */
export const STORED_RESULT_MAX_UNITS = 8000 * 4;

/** Text of a failed tool call beside its result in the trace, in UTF-16 code units: a headline. */
export const ERROR_MESSAGE_MAX_UNITS = 2000;

/**
 * Runs the tool calls of one response side by side (bounded) and returns their results as messages in the order of
 * the calls. A tool that fails or takes too long is a result like any other: the model decides what it means.
 * @param signal aborts with the iteration or the session; calls it cuts off are answered as such
 * @throws the session's abort reason; WaitingForApprovalError when the others are done and people have to decide on one
 */
export async function runToolCalls(
  context: AgentContext,
  calls: readonly ToolCallValue[],
  signal: AbortSignal,
): Promise<NewMessage[]> {
  const gated = await gateCalls(context, calls);
  const waits = calls.some(({ id }) => gated.get(id)?.kind === 'waits');
  const open = calls.filter(({ id }) => !gated.has(id) || gated.get(id)?.kind === 'approved');
  const items = new Map<ToolCallValue, OpenItem>(); // in the order of the calls, whatever the order in which they end
  for (const call of open) items.set(call, await openCall(context, call));
  await context.transcript.store();
  let running = open.length;
  const todo = waits ? open : calls;
  const messages = await runBounded(todo, MAX_PARALLEL_TOOL_CALLS, async (call) => {
    const gate = gated.get(call.id);
    if (gate?.kind === 'refused') return noticeMessage(call, gate.notice);
    const message = await runToolCall(context, call, items.get(call)!, signal, approvedOf(gate));
    running -= 1;
    if (running > 0) await context.transcript.store(); // the last result is stored with the messages
    return message;
  });
  if (!waits) return messages;
  await context.transcript.store();
  throw new WaitingForApprovalError();
}

type Approved = Extract<Gated, { kind: 'approved' }>;

const approvedOf = (gate: Gated | undefined): Approved | null => (gate?.kind === 'approved' ? gate : null);

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
  approved: Approved | null,
): Promise<NewMessage> {
  let result: ToolResult;
  let stored: string;
  try {
    signal.throwIfAborted();
    await approved?.begin();
    const options = { signal, timeoutMs: context.resolved.timeouts.toolCallMs, approved: approved !== null };
    result = await context.tools.execute(approved?.call ?? call, options);
    if (approved) context.transcript.note(endOf(approved, result)); // with its result
    stored = await recordCall(context, call, result); // first: whoever goes on after a crash finds the result
    await item.close({
      status: result.isError ? 'FAILED' : 'COMPLETED',
      content: truncate(result.content, STORED_RESULT_MAX_UNITS),
      metadata: {
        is_error: result.isError,
        duration_ms: Math.round(result.durationMs),
        ...(stored.length > resultLimits(context).whole && { shortened: true }),
      },
    });
  } catch (error) {
    if (error instanceof BreakOffError) throw error;
    await item.close({
      status: statusOfFailure(error),
      content: '',
      metadata: { is_error: true, interrupted: true },
    });
    if (context.signal.aborted || !isTimeout(error)) throw error;
    if (approved) context.transcript.note(endApproved(approved.approvalId, 'OUTCOME_UNKNOWN'));
    return noticeMessage(
      call,
      'Error: stopped, because the time of this iteration was up. Its outcome is unknown.',
    );
  }
  const called = { ...result, content: stored, whole: result.content };
  return resultMessage(context, call, called, item.place, signal);
}

function endOf({ approvalId }: Approved, { isError, outcomeUnknown = false, content }: ToolResult) {
  if (!isError) return endApproved(approvalId, 'EXECUTED');
  const status = outcomeUnknown ? 'OUTCOME_UNKNOWN' : 'FAILED';
  return endApproved(approvalId, status, truncate(content, ERROR_MESSAGE_MAX_UNITS));
}

/** @returns the result as it is stored */
async function recordCall(context: AgentContext, call: ToolCallValue, result: ToolResult): Promise<string> {
  const traceUnits = context.config.defaults.toolResults.traceMaxTokens * UNITS_PER_TOKEN;
  const content = truncate(result.content, traceUnits);
  await context.transcript.recordMcp({
    type: 'TOOL_CALL',
    serverName: result.serverName,
    toolName: result.toolName,
    toolCallId: call.id,
    arguments: result.arguments ?? call.arguments,
    result: { content, isError: result.isError },
    availableTools: null,
    durationMs: result.durationMs,
    errorMessage: result.isError ? truncate(result.content, ERROR_MESSAGE_MAX_UNITS) : null,
  });
  return storable(content);
}

/** `server.tool` or `server__tool` → both parts; a name without a separator is the tool's. */
function splitForDisplay(name: string): [server: string, tool: string] {
  const match = /^([^.]+?)(?:\.|__)(.+)$/s.exec(name);
  return match ? [match[1] ?? '', match[2] ?? ''] : ['', name];
}
