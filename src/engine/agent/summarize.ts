import { estimateTokens, truncate, UNITS_PER_TOKEN } from '../../text/truncate.ts';
import type { LlmSettings } from '../llm/client.ts';
import { collectStream, type LlmResponse, type StreamHandlers } from '../llm/collect.ts';
import { createPromptWindow } from '../llm/window.ts';
import { describeSent, type Fitted } from '../prompts/fit.ts';
import {
  type SummarizationPrompt,
  summarizationSystemPrompt,
  summarizationUserPrompt,
} from '../prompts/summarization.ts';
import { BreakOffError } from '../run/break-off.ts';
import { SUMMARY_OVERRUN } from '../tunables.ts';
import { statusOfFailure } from './abort.ts';
import type { AgentContext } from './agent.ts';
import { createLoopDetector } from './loop-detector.ts';
import { usageOf } from './model-call.ts';
import { describeError } from './model-failure.ts';
import type { OpenItem } from './transcript.ts';

/** How long results of one server are summarized. */
export interface SummaryPlan {
  /** Results above this estimate are. */
  sizeThresholdTokens: number;
  /** Longest summary. */
  maxTokens: number;
  /** The model that does it; without tools of its own. */
  llm: LlmSettings;
}

/** A tool result that is too long for the conversation. */
export interface LongResult {
  toolCallId: string;
  serverName: string;
  toolName: string;
  content: string;
}

export type SummaryOutcome = { summary: string } | { failure: string };

/** The summary has reached its limit; what follows is not waited for. */
class SummaryFullError extends Error {}

/**
 * Has a result summarized by the model, streamed as a timeline item of its own and recorded as an interaction. Its
 * failure is an outcome: the investigation goes on with the result itself.
 * @param signal aborts with the iteration or the session
 * @throws the session's abort reason, LeaseLostError
 */
export async function summarizeResult(
  context: AgentContext,
  plan: SummaryPlan,
  result: LongResult,
  signal: AbortSignal,
): Promise<SummaryOutcome> {
  const item = await context.transcript.openItem('MCP_TOOL_SUMMARY', metadataOf(plan, result));
  const call = startCall(context, plan, result);
  try {
    signal.throwIfAborted();
    const { text, usage } = await readSummary(call, item, plan, signal);
    if (text.trim() === '') throw new Error('The model gave an empty summary.');
    await call.record(usage, null); // before the end: whoever goes on after a crash takes an ended summary as it is
    return { summary: await item.close({ status: 'COMPLETED', content: text }) };
  } catch (error) {
    if (error instanceof BreakOffError) throw error;
    const reason: unknown = signal.aborted ? signal.reason : error;
    const failure = describeError(reason);
    await item.close({ status: statusOfFailure(reason), metadata: { interrupted: true, error: failure } });
    await call.record(null, failure);
    context.signal.throwIfAborted();
    context.logger.warn({ mcpServer: result.serverName, reason: failure }, 'summarizing a result failed');
    return { failure };
  }
}

function metadataOf({ llm }: SummaryPlan, result: LongResult): Record<string, unknown> {
  return {
    server_name: result.serverName,
    tool_name: result.toolName,
    tool_call_id: result.toolCallId,
    summarization_model: llm.model,
    summarization_provider: llm.provider,
    original_tokens: estimateTokens(result.content),
  };
}

type Call = ReturnType<typeof startCall>;

/** One call of the model: what is asked, what has come so far, and its record. */
function startCall(context: AgentContext, { llm, maxTokens }: SummaryPlan, result: LongResult) {
  const startedAt = performance.now();
  const { serverName, toolName, content, toolCallId } = result;
  const prompt: SummarizationPrompt = {
    serverName,
    toolName,
    result: content,
    conversation: context.transcript.messages,
    maxTokens,
  };
  const messages = [
    { role: 'SYSTEM', content: summarizationSystemPrompt(prompt) },
    { role: 'USER', content: summarizationUserPrompt(prompt) },
  ] as const;
  const arrived = { text: '', thinking: '' };
  let sent: Fitted<(typeof messages)[number]> = { messages, shortened: null, weight: 0 };
  return {
    arrived,
    collect(signal: AbortSignal, handlers: StreamHandlers) {
      const { sessionId } = context;
      // An id of its own: what providers cache for the agent's conversation must not be mixed with this.
      const executionId = `${context.executionId}:summarization`;
      const purpose = 'SUMMARIZATION';
      return createPromptWindow(llm).within({ messages, tools: [] }, (fitted) => {
        sent = fitted;
        const request = {
          sessionId,
          executionId,
          messages: fitted.messages,
          llm,
          tools: [],
          purpose,
          task: { shorten: content },
        } as const;
        return collectStream(context.client.generate(request, { signal }), handlers);
      });
    },
    record: (usage: Partial<LlmResponse>['usage'] | null, errorMessage: string | null) =>
      context.transcript.recordLlm({
        type: 'SUMMARIZATION',
        iteration: null,
        provider: llm.provider,
        modelName: llm.model,
        request: { backend: llm.backend, model: llm.model, toolCallId, ...describeSent(sent) },
        response: { text: arrived.text },
        thinking: arrived.thinking || null,
        lastMessageSequence: null,
        usage: usageOf({ usage: usage ?? null }),
        durationMs: performance.now() - startedAt,
        errorMessage,
      }),
  };
}

/** Streams the summary into its item, to its end or to its limit. */
async function readSummary(call: Call, item: OpenItem, { maxTokens }: SummaryPlan, signal: AbortSignal) {
  const { arrived } = call;
  const maxUnits = maxTokens * UNITS_PER_TOKEN * SUMMARY_OVERRUN;
  const loop = createLoopDetector();
  try {
    const { usage } = await call.collect(signal, {
      onThinking: (delta) => {
        arrived.thinking += delta;
      },
      onText: async (delta) => {
        arrived.text += delta;
        await item.append(delta);
        loop.add(delta);
        if (arrived.text.length > maxUnits) throw new SummaryFullError();
      },
    });
    return { text: arrived.text, usage };
  } catch (error) {
    if (!(error instanceof SummaryFullError)) throw error;
    return { text: truncate(arrived.text, maxUnits), usage: null };
  }
}
