import { LlmError } from '../errors.ts';
import type { LlmSettings, LlmTool } from '../request.ts';
import { type Evicted, evictResults } from './evict.ts';
import { type Fitted, fitMessages } from './fit.ts';
import { type FittingMessage, weightOfTools } from './token-estimate.ts';

/** Weight of a token where a prompt must fit into a model's window: `weightOf` counts in thirds, about letters. */
export const UNITS_PER_PROMPT_TOKEN = 3;

/** Part of the window that stays free for the answer, and its largest size in tokens. */
export const ANSWER_SHARE = 0.25;

export const ANSWER_MAX_TOKENS = 32_000;

/**
 * Part of the window above which old results are taken out of a conversation, and down to which: the more at once, the
 * more rarely, and each time a provider reads anew what it had cached.
 */
export const EVICT_ABOVE_SHARE = 0.7;

export const EVICT_TO_SHARE = 0.3;

/** Part of what was sent that is sent again after a provider found it too long. */
export const REFUSED_SHARE = 0.5;

/** What of a conversation was left out of the requests so far; with it, whoever goes on leaves out the same. */
export interface Kept {
  /** Results of messages before this place are out. */
  evictedThrough: number;
  /** Of what a provider takes, where it found something too long; by `weightOf`. */
  maxWeight: number | null;
}

/** A conversation as it is sent. */
export interface Prepared<M> extends Fitted<M> {
  /** Numbers of the results that are out. */
  evicted: readonly number[];
  kept: Kept;
}

/** How much of a conversation a model is sent. It learns when the provider finds that too much. */
export interface PromptWindow {
  /**
   * Makes a call with the conversation as it fits. While the provider finds it too long, it is made again with half of it,
   * as long as there is something to leave out; what was learnt holds for later calls too.
   * @param onRefused told before the call is made again
   * @throws what the call throws
   */
  within<M extends FittingMessage, T>(
    request: { messages: readonly M[]; tools: readonly LlmTool[] },
    call: (sent: Prepared<M>) => Promise<T>,
    onRefused?: (sent: Prepared<M>, error: LlmError) => Promise<void>,
  ): Promise<T>;
  /** Of another model that goes on with the conversation: what is out stays out. */
  of(llm: LlmSettings): PromptWindow;
}

/** Of a model whose window is not known. */
const DEFAULT_WINDOW_TOKENS = 128_000;

/** Weight of what fits into a model's window, in UTF-16 code units. */
export function promptUnits({ contextWindow = DEFAULT_WINDOW_TOKENS }: LlmSettings): number {
  const answer = Math.min(ANSWER_MAX_TOKENS, contextWindow * ANSWER_SHARE);
  return Math.floor((contextWindow - answer) * UNITS_PER_PROMPT_TOKEN);
}

/** @param kept what an earlier run of the same conversation left out */
export function createPromptWindow(
  llm: LlmSettings,
  kept: Kept = { evictedThrough: 0, maxWeight: null },
): PromptWindow {
  const { contextWindow = DEFAULT_WINDOW_TOKENS } = llm;
  const whole = contextWindow * UNITS_PER_PROMPT_TOKEN;
  let { evictedThrough, maxWeight } = kept;

  function prepare<M extends FittingMessage>(messages: readonly M[], fixed: number): Prepared<M> {
    const most = maxWeight ?? promptUnits(llm);
    const limit = Math.min(whole * EVICT_ABOVE_SHARE, most);
    const target = limit * (EVICT_TO_SHARE / EVICT_ABOVE_SHARE);
    const evicted: Evicted<M> = evictResults(messages, { through: evictedThrough, fixed, limit, target });
    evictedThrough = evicted.through;
    const fitted = fitMessages(evicted.messages, fixed, most);
    return { ...fitted, evicted: evicted.numbers, kept: { evictedThrough, maxWeight } };
  }

  return {
    async within({ messages, tools }, call, onRefused) {
      const fixed = weightOfTools(tools);
      for (let sent = prepare(messages, fixed); ; ) {
        try {
          return await call(sent);
        } catch (error) {
          const refusal = refusalOf(error);
          if (refusal === null) throw error;
          maxWeight = Math.floor(Math.min(sent.weight, maxWeight ?? sent.weight) * REFUSED_SHARE);
          const shorter = prepare(messages, fixed);
          if (shorter.weight >= sent.weight) throw error; // there is nothing more to leave out
          await onRefused?.(shorter, refusal);
          sent = shorter;
        }
      }
    },
    of: (other) => createPromptWindow(other, { evictedThrough, maxWeight: null }),
  };
}

function refusalOf(error: unknown): LlmError | null {
  if (error instanceof LlmError) return error.code === 'context_too_long' ? error : null;
  return error instanceof Error && error.cause !== undefined ? refusalOf(error.cause) : null;
}
