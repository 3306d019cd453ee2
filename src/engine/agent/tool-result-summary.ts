import { estimateTokens, UNITS_PER_TOKEN } from '../../common/truncate.ts';
import { type ResolvedLlm, withFallbacks } from '../../config/resolve.ts';
import { resolveSummarization } from '../../config/resolve-calls.ts';
import type { Config } from '../../config/types.ts';
import { writeText } from '../model/complete-once.ts';
import { describeSent } from '../model/context-window/fit.ts';
import type { AgentContext, SummaryPlan } from '../run-context/types.ts';
import { summarizationSystemPrompt, summarizationUserPrompt } from './tool-result-summary-prompt.ts';

/** A summary is truncated at this multiple of its token limit, because models count tokens differently. */
const SUMMARY_OVERRUN = 2;

/**
 * Lets a model summarize a tool result, streamed as its own timeline item. @returns the summary, or why it failed: then
 * the agent gets the result itself. @throws the session's abort reason, LeaseLostError
 */
export async function summarizeResult(
  context: AgentContext,
  { models, maxTokens }: SummaryPlan,
  result: { toolCallId: string; serverName: string; toolName: string; content: string },
  signal: AbortSignal,
): Promise<{ text: string } | { failure: string }> {
  const { transcript } = context;
  const { serverName, toolName, toolCallId, content } = result;
  const prompt = { serverName, toolName, result: content, conversation: transcript.messages, maxTokens };
  const outcome = await writeText({
    ...context,
    models,
    signal,
    request: {
      purpose: 'SUMMARIZATION',
      sessionId: context.fence.sessionId,
      executionId: `${context.executionId}:summarization`,
      task: { ...context.task, shorten: content },
    },
    prompt: { system: summarizationSystemPrompt(prompt), user: summarizationUserPrompt(prompt) },
    maxUnits: maxTokens * UNITS_PER_TOKEN * SUMMARY_OVERRUN,
    async openTimelineEvent({ provider }) {
      const item = await transcript.openTimelineEvent('MCP_TOOL_SUMMARY', {
        server_name: serverName,
        tool_name: toolName,
        tool_call_id: toolCallId,
        summarization_model: provider.model,
        summarization_provider: provider.type,
        original_tokens: estimateTokens(content),
      });
      await transcript.store();
      return item;
    },
    onFallback: (event) => transcript.addEvent(event),
    record: (record) => transcript.recordLlm({ ...record, lastMessageSequence: null }),
    traceRequest: (sent) => ({ toolCallId, ...describeSent(sent) }),
  });
  if ('text' in outcome) return outcome;
  context.signal.throwIfAborted();
  context.logger.warn({ mcpServer: serverName, reason: outcome.failure }, 'summarizing a result failed');
  return outcome;
}

export function summaryPlans(config: Config, resolved: ResolvedLlm): AgentContext['summaryPlan'] {
  return (serverName) => {
    const settings = config.mcpServers[serverName]?.summarization;
    if (!settings?.enabled) return null;
    return {
      sizeThresholdTokens: settings.sizeThresholdTokens,
      maxTokens: settings.summaryMaxTokenLimit,
      models: withFallbacks(config, resolveSummarization(config, serverName, resolved)),
    };
  };
}
