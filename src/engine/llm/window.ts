import { type Fitted, type FittingMessage, fitMessages, weightOf } from '../prompts/fit.ts';
import { ANSWER_MAX_TOKENS, ANSWER_SHARE, REFUSED_SHARE, UNITS_PER_PROMPT_TOKEN } from '../tunables.ts';
import { LlmError } from './errors.ts';
import type { LlmSettings, LlmTool } from './request.ts';

/** How much of a conversation a model is sent. It learns when the provider finds that too much. */
export interface PromptWindow {
  /**
   * Makes a call with the conversation as it fits. When the provider finds it too long, it is made once more with half
   * of it; what was learnt holds for later calls too.
   * @param onRefused told before the call is made again
   * @throws what the call throws
   */
  within<M extends FittingMessage, T>(
    request: { messages: readonly M[]; tools: readonly LlmTool[] },
    call: (fitted: Fitted<M>) => Promise<T>,
    onRefused?: (fitted: Fitted<M>, error: LlmError) => Promise<void>,
  ): Promise<T>;
}

/** Of a model whose window is not known. */
const DEFAULT_WINDOW_TOKENS = 128_000;

/** Weight of what fits into a model's window, in UTF-16 code units. */
export function promptUnits({ contextWindow = DEFAULT_WINDOW_TOKENS }: LlmSettings): number {
  const answer = Math.min(ANSWER_MAX_TOKENS, contextWindow * ANSWER_SHARE);
  return Math.floor((contextWindow - answer) * UNITS_PER_PROMPT_TOKEN);
}

export function createPromptWindow(llm: LlmSettings): PromptWindow {
  let maxWeight = promptUnits(llm);
  return {
    async within({ messages, tools }, call, onRefused) {
      const fixed = weightOf(tools.length === 0 ? '' : JSON.stringify(tools));
      const fitted = fitMessages(messages, fixed, maxWeight);
      try {
        return await call(fitted);
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal === null) throw error;
        maxWeight = Math.floor(Math.min(fitted.weight, maxWeight) * REFUSED_SHARE);
        const shorter = fitMessages(messages, fixed, maxWeight);
        if (shorter.weight >= fitted.weight) throw error; // there is nothing more to leave out
        await onRefused?.(shorter, refusal);
        return await call(shorter);
      }
    },
  };
}

function refusalOf(error: unknown): LlmError | null {
  if (error instanceof LlmError) return error.code === 'context_too_long' ? error : null;
  return error instanceof Error && error.cause !== undefined ? refusalOf(error.cause) : null;
}
