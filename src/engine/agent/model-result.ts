import type { ToolCallValue } from '../../db/entities/index.ts';
import { estimateTokens, truncate } from '../../text/truncate.ts';
import type { NewMessage } from '../journal/messages.ts';
import type { StoredResult } from '../journal/progress.ts';
import { summarizedResult, unsummarizedResult } from '../prompts/summarization.ts';
import { headed, untrusted } from '../prompts/untrusted.ts';
import { MODEL_RESULT_MAX_UNITS, STORED_RESULT_MAX_UNITS } from '../tunables.ts';
import type { AgentContext } from './context.ts';
import { summarizeResult } from './summarize.ts';

/** What a tool call came to, as far as the model's conversation is concerned. */
export type CalledResult = Omit<StoredResult, 'summary' | 'number'> & Partial<Pick<StoredResult, 'summary'>>;

/**
 * The result of a call as the message that answers it. A long one is summarized where its server's settings say so;
 * when that fails, the model gets its beginning. Failures are never summarized: their words count.
 * @param number by which the result is cited; undefined = it is not stored
 * @param signal aborts with the iteration or the session
 * @throws the session's abort reason, LeaseLostError
 */
export async function resultMessage(
  context: AgentContext,
  call: ToolCallValue,
  result: CalledResult,
  number: number | undefined,
  signal: AbortSignal,
): Promise<NewMessage> {
  const text = await textForModel(context, call, result, signal);
  return toolMessage(call, headed(number, text), result.isError);
}

/** A message that answers a call with the engine's own words: why there is no result. */
export function noticeMessage(call: ToolCallValue, notice: string): NewMessage {
  return toolMessage(call, untrusted('TOOL RESULT', notice), true);
}

function toolMessage(call: ToolCallValue, content: string, failed: boolean): NewMessage {
  return { role: 'TOOL', content, toolCallId: call.id, toolName: call.name, ...(failed ? { failed } : {}) };
}

async function textForModel(
  context: AgentContext,
  call: ToolCallValue,
  result: CalledResult,
  signal: AbortSignal,
): Promise<string> {
  const { serverName, toolName, content, isError } = result;
  const tokens = estimateTokens(content);
  if (result.summary != null) return summarizedResult(result.summary, tokens);
  const plan = context.summaryPlan(serverName);
  if (plan === null || tokens <= plan.sizeThresholdTokens) {
    return untrusted('TOOL RESULT', truncate(content, MODEL_RESULT_MAX_UNITS));
  }
  if (isError) return untrusted('TOOL RESULT', truncate(content, STORED_RESULT_MAX_UNITS));
  const long = { toolCallId: call.id, serverName, toolName, content };
  const outcome = await summarizeResult(context, plan, long, signal);
  if ('text' in outcome) return summarizedResult(outcome.text, tokens);
  return unsummarizedResult(content, withoutStop(outcome.failure), STORED_RESULT_MAX_UNITS);
}

function withoutStop(text: string): string {
  return text.replace(/[.\s]+$/, '');
}
