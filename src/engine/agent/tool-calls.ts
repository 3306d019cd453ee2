import { runBounded } from '../../common/run-bounded.ts';
import { toStorable } from '../../common/storable.ts';
import { estimateTokens, truncate, UNITS_PER_TOKEN } from '../../common/truncate.ts';
import type { ToolCallValue } from '../../db/entities/index.ts';
import type { ToolResult } from '../../mcp/types.ts';
import {
  isTimeout,
  RunInterruptedError,
  statusOfFailure,
  WaitingForApprovalError,
} from '../common/interruptions.ts';
import { type ApprovalGate, gateCalls } from '../features/approvals/request-approval.ts';
import { resultLimits } from '../features/tool-outputs/tools.ts';
import { formatToolResult } from '../prompt-text/tool-results.ts';
import { encloseUntrusted, withCitationNumber } from '../prompt-text/untrusted.ts';
import { isTimeUp } from '../run-context/time-budget.ts';
import type { AgentContext } from '../run-context/types.ts';
import { endApprovedCall } from '../store/approvals.ts';
import type { OpenTimelineEvent } from '../store/journal.ts';
import type { NewMessage } from '../store/messages.ts';
import type { StoredToolResult } from '../store/progress.ts';
import { summarizedResult, summarizeResult } from './tool-result-summary.ts';

export const MAX_PARALLEL_TOOL_CALLS = 4;

/** Maximum length of a tool result in the timeline (UTF-16 code units): 8k tokens. */
export const STORED_RESULT_MAX_UNITS = 8000 * 4;
/** Maximum length of a failed call's error message (UTF-16 code units). */
const ERROR_MESSAGE_MAX_UNITS = 2000;

/**
 * Runs the tool calls of one response in parallel. Returns all results, also of failed calls, in call order.
 * @param signal aborts when the iteration's time is up or the run must stop
 * @throws the session's abort reason; WaitingForApprovalError after the calls that need no approval have run
 */
export async function runToolCalls(
  context: AgentContext,
  calls: readonly ToolCallValue[],
  signal: AbortSignal,
): Promise<NewMessage[]> {
  const gated = await gateCalls(context, calls.filter(hasReadableArguments));
  const waits = calls.some(({ id }) => gated.get(id)?.kind === 'waits');
  const open = calls.filter(({ id }) => !gated.has(id) || gated.get(id)?.kind === 'approved');
  const items = new Map<ToolCallValue, OpenTimelineEvent>(); // opened in the order of the calls
  for (const call of open) items.set(call, await openCall(context, call));
  await context.transcript.store();
  let running = open.length;
  const todo = waits ? open : calls;
  const messages = await runBounded(todo, MAX_PARALLEL_TOOL_CALLS, async (call) => {
    const gate = gated.get(call.id);
    if (gate?.kind === 'refused') {
      traceUnsent(context, call, 'approval_refused');
      return noticeMessage(call, gate.notice);
    }
    const item = items.get(call)!;
    const approved = gate?.kind === 'approved' ? gate : null;
    const message = await runToolCall({ context, call, item, signal, approved });
    running -= 1;
    if (running > 0) await context.transcript.store(); // the last result is stored with the messages
    return message;
  });
  if (!waits) return messages;
  await context.transcript.store();
  throw new WaitingForApprovalError();
}

type Approved = Extract<ApprovalGate, { kind: 'approved' }>;

interface ToolCallRun {
  context: AgentContext;
  call: ToolCallValue;
  item: OpenTimelineEvent;
  signal: AbortSignal;
  approved: Approved | null;
}

function openCall({ transcript }: AgentContext, call: ToolCallValue): Promise<OpenTimelineEvent> {
  const [server, tool] = splitForDisplay(call.name);
  return transcript.openTimelineEvent('LLM_TOOL_CALL', {
    server_name: server,
    tool_name: tool,
    arguments: transcript.kept([call])[0]!.arguments,
    tool_call_id: call.id,
  });
}

async function runToolCall({ context, call, item, signal, approved }: ToolCallRun): Promise<NewMessage> {
  let result: ToolResult;
  let stored: string;
  let hasBegun = false;
  try {
    signal.throwIfAborted();
    await approved?.begin();
    hasBegun = true;
    const options = { signal, timeoutMs: context.resolved.timeouts.toolCallMs, approved: approved !== null };
    result = hasReadableArguments(call)
      ? await context.tools.execute(approved?.call ?? call, options)
      : unreadableArguments(context, call);
    if (approved) context.transcript.note(approvalEnd(approved, result)); // stored with the result
    stored = await recordCall(context, call, result); // before the item ends: a resumed run uses the stored result
    await item.close({
      status: result.isError ? 'FAILED' : 'COMPLETED',
      content: truncate(result.content, STORED_RESULT_MAX_UNITS),
      metadata: {
        is_error: result.isError,
        duration_ms: Math.round(result.durationMs),
        ...(result.recorded && { recorded: result.recorded }),
        ...(stored.length > resultLimits(context).whole && { shortened: true }),
      },
    });
  } catch (error) {
    if (error instanceof RunInterruptedError) throw error;
    const metadata = { is_error: true, interrupted: true };
    await item.close({ status: statusOfFailure(error), content: '', metadata });
    if (context.signal.aborted || !isTimeout(error)) throw error;
    if (!hasBegun) return uncalled(context, call, approved);
    if (approved) context.transcript.note(endApprovedCall(approved.approvalId, 'OUTCOME_UNKNOWN'));
    const why = isTimeUp(context.time)
      ? 'because you must conclude now'
      : 'at the time limit of this iteration';
    const notice = `Error: the call was stopped ${why}. The outcome is unknown.`;
    return noticeMessage(call, notice);
  }
  const called = { ...result, content: stored, whole: result.content, number: item.sequenceNumber };
  return resultMessage(context, call, called, signal);
}

/** Returns the message for a call whose time was over before its turn. Ends the approval, because the call is not made later. */
function uncalled(
  { transcript, time }: AgentContext,
  call: ToolCallValue,
  approved: Approved | null,
): NewMessage {
  const reason = isTimeUp(time)
    ? 'the agent must conclude now'
    : 'the time limit of the iteration was reached before its turn';
  if (approved) transcript.note(endApprovedCall(approved.approvalId, 'FAILED', reason));
  return noticeMessage(call, `Not called: ${reason}.`);
}

/**
 * Returns true if the arguments are a JSON object, or empty. Other texts may be truncated, so that, for
 * example, a filter is missing.
 */
function hasReadableArguments({ arguments: text }: ToolCallValue): boolean {
  if (text.trim() === '') return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Returns the result of a call that is not made, so that the model learns the reason and writes the call again. */
function unreadableArguments(context: AgentContext, call: ToolCallValue): ToolResult {
  const { name } = call;
  traceUnsent(context, call, 'invalid_arguments');
  const [serverName, toolName] = splitForDisplay(name);
  const content = `The arguments of ${name} cannot be read, so the tool was not called. Call it again with one complete JSON object as arguments.`;
  return { content, isError: true, serverName, toolName, arguments: null, durationMs: 0 };
}

/** Traces a call that is refused before it reaches the tools. */
function traceUnsent({ observer, tools }: AgentContext, call: ToolCallValue, errorCode: string): void {
  const { server = '', tool = '' } = tools.resolveCall(call) ?? {};
  const nothing = { arguments: null, result: null, mcp: null };
  observer.tracing.toolCall(call).end({ errorCode, server, tool, ...nothing });
}

function approvalEnd({ approvalId }: Approved, { isError, outcomeUnknown = false, content }: ToolResult) {
  if (!isError) return endApprovedCall(approvalId, 'EXECUTED');
  const status = outcomeUnknown ? 'OUTCOME_UNKNOWN' : 'FAILED';
  return endApprovedCall(approvalId, status, truncate(content, ERROR_MESSAGE_MAX_UNITS));
}

/** Records the call in the trace. Returns the stored part of its result, which may be truncated. */
async function recordCall(context: AgentContext, call: ToolCallValue, result: ToolResult): Promise<string> {
  const traceUnits = context.config.defaults.toolResults.traceMaxTokens * UNITS_PER_TOKEN;
  const content = truncate(result.content, traceUnits);
  await context.transcript.recordMcp({
    type: 'TOOL_CALL',
    serverName: result.serverName,
    toolName: result.toolName,
    toolCallId: call.id,
    arguments: result.arguments ?? call.arguments,
    result: { content, isError: result.isError, ...(result.recorded && { recorded: result.recorded }) },
    availableTools: null,
    durationMs: result.durationMs,
    errorMessage: result.isError ? truncate(result.content, ERROR_MESSAGE_MAX_UNITS) : null,
  });
  return toStorable(content);
}

/** Splits `server.tool` or `server__tool`. A name without a separator has no server. */
function splitForDisplay(name: string): [server: string, tool: string] {
  const match = /^([^.]+?)(?:\.|__)(.+)$/s.exec(name);
  return match ? [match[1] ?? '', match[2] ?? ''] : ['', name];
}

/** The result of a call; `content` is the stored part. */
type CalledResult = Omit<StoredToolResult, 'summary' | 'number'> & {
  summary?: string | null;
  /** Citation number; undefined if the result is not stored. */
  number?: number | undefined;
  /** The complete text; default: `content`. */
  whole?: string;
};

/**
 * Returns the message that answers a call. A long result is shortened, or summarized if its server's settings say so.
 * Errors are never summarized, because their exact text matters. @throws the session's abort reason, LeaseLostError
 */
export async function resultMessage(
  context: AgentContext,
  call: ToolCallValue,
  result: CalledResult,
  signal: AbortSignal,
): Promise<NewMessage> {
  const text = await textForModel(context, call, result, signal);
  return toolMessage(call, withCitationNumber(result.number, text), result.isError);
}

export function noticeMessage(call: ToolCallValue, notice: string): NewMessage {
  return toolMessage(call, encloseUntrusted('TOOL RESULT', notice), true);
}

function toolMessage(call: ToolCallValue, content: string, failed: boolean): NewMessage {
  return { role: 'TOOL', content, toolCallId: call.id, toolName: call.name, ...(failed ? { failed } : {}) };
}

async function textForModel(
  context: AgentContext,
  call: ToolCallValue,
  { serverName, toolName, content, whole = content, isError, number, summary }: CalledResult,
  signal: AbortSignal,
): Promise<string> {
  const tokens = estimateTokens(whole);
  if (summary != null) return summarizedResult(summary, tokens, number);
  const plan = context.summaryPlan(serverName);
  const limits = resultLimits(context);
  if (plan === null || isError || tokens <= plan.sizeThresholdTokens)
    return formatToolResult(content, number, limits);
  const long = { toolCallId: call.id, serverName, toolName, content: whole };
  const outcome = await summarizeResult(context, plan, long, signal);
  if ('text' in outcome) return summarizedResult(outcome.text, tokens, number);
  return formatToolResult(content, number, limits, outcome.failure.replace(/[.\s]+$/, ''));
}
