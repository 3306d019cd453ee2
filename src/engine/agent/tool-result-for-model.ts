import { estimateTokens } from '../../common/truncate.ts';
import type { ToolCallValue } from '../../db/entities/index.ts';
import { resultLimits } from '../features/tool-outputs/tools.ts';
import { givenResult } from '../prompt-text/outputs.ts';
import { headed, untrusted } from '../prompt-text/untrusted.ts';
import type { AgentContext } from '../run-context/types.ts';
import type { NewMessage } from '../store/messages.ts';
import type { StoredResult } from '../store/progress.ts';
import { summarizeResult } from './tool-result-summary.ts';
import { summarizedResult } from './tool-result-summary-prompt.ts';

/** What a tool call came to, as far as the model's conversation is concerned; `content` as it is stored. */
export type CalledResult = Omit<StoredResult, 'summary' | 'number'> &
  Partial<Pick<StoredResult, 'summary'>> & {
    /** Where more came than is stored. */
    whole?: string;
  };

/**
 * The result of a call as the message that answers it. Of a long one the model gets beginning and end, and by its number
 * all the rest; or a summary, where its server's settings say so and that works. Failures are never summarized: their
 * words count.
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
  const text = await textForModel(context, call, { ...result, number }, signal);
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
  result: CalledResult & { number: number | undefined },
  signal: AbortSignal,
): Promise<string> {
  const { serverName, toolName, content, whole = content, isError, number } = result;
  const tokens = estimateTokens(whole);
  if (result.summary != null) return summarizedResult(result.summary, tokens, number);
  const plan = context.summaryPlan(serverName);
  const limits = resultLimits(context);
  if (plan === null || isError || tokens <= plan.sizeThresholdTokens)
    return givenResult(content, number, limits);
  const long = { toolCallId: call.id, serverName, toolName, content: whole };
  const outcome = await summarizeResult(context, plan, long, signal);
  if ('text' in outcome) return summarizedResult(outcome.text, tokens, number);
  return givenResult(content, number, limits, withoutStop(outcome.failure));
}

function withoutStop(text: string): string {
  return text.replace(/[.\s]+$/, '');
}
