import { findCitedResult, formatEvictedResult } from '../../prompt-text/tool-results.ts';
import { LlmError } from '../errors.ts';
import type { LlmSettings, LlmTool } from '../request.ts';
import { type Fitted, fitMessages } from './fit.ts';
import { type FittingMessage, weightOf, weightOfMessage, weightOfTools } from './token-estimate.ts';

/** The weight of one token: `weightOf` counts in thirds of a token, about one per letter. */
export const UNITS_PER_PROMPT_TOKEN = 3;

/** The share of the window that stays free for the answer, and its largest size (tokens). */
const ANSWER_SHARE = 0.25;
const ANSWER_MAX_TOKENS = 32_000;

/**
 * Shares of the window at which eviction starts and to which it reduces the prompt. Eviction removes much at once,
 * because each eviction invalidates the provider's prompt cache.
 */
const EVICT_ABOVE_SHARE = 0.7;
const EVICT_TO_SHARE = 0.3;

/** The share of a prompt that is sent again after the provider found the prompt too long. */
const REFUSED_SHARE = 0.5;

/** The parts that the requests of a conversation have left out so far, so that a resumed run leaves out the same. */
export interface Kept {
  /** Results of messages before this index are evicted. */
  evictedThrough: number;
  /** The limit learned from refused prompts (by `weightOf`); `null` if the provider refused none. */
  maxWeight: number | null;
}

/** A conversation as it is sent to the model. */
export interface Prepared<M> extends Fitted<M> {
  evicted: readonly number[];
  kept: Kept;
}

/** Limits how much of a conversation is sent to a model. The limit shrinks if the provider finds a prompt too long. */
export interface PromptWindow {
  /**
   * Makes a call with as much of the conversation as fits. If the provider finds the prompt too long, repeats
   * the call with half of it, for as long as something can be left out. The smaller limit also holds for
   * later calls.
   * @param onRefused runs before the call is repeated
   * @throws what the call throws
   */
  within<M extends FittingMessage, T>(
    request: { messages: readonly M[]; tools: readonly LlmTool[] },
    call: (sent: Prepared<M>) => Promise<T>,
    onRefused?: (sent: Prepared<M>, error: LlmError) => Promise<void>,
  ): Promise<T>;
  /** Returns the window of another model that continues the conversation. Evicted results stay evicted. */
  of(llm: LlmSettings): PromptWindow;
}

const DEFAULT_WINDOW_TOKENS = 128_000;

/** Returns the maximum weight of a prompt that leaves room for the answer in the model's context window. */
export function promptUnits({ contextWindow = DEFAULT_WINDOW_TOKENS }: LlmSettings): number {
  const answer = Math.min(ANSWER_MAX_TOKENS, contextWindow * ANSWER_SHARE);
  return Math.floor((contextWindow - answer) * UNITS_PER_PROMPT_TOKEN);
}

/** @param kept what earlier requests of the same conversation left out */
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
          if (shorter.weight >= sent.weight) throw error; // nothing is left to leave out
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

/** Number of newest tool results that are never evicted, because the model is working with them. */
const LAST_KEPT = 3;

export interface Evicted<M> {
  messages: readonly M[];
  /** Results of messages before this index are evicted. */
  through: number;
  /** The citation numbers of the evicted results, which the model can still read. */
  numbers: readonly number[];
}

/**
 * Replaces evicted tool results of a conversation by a short notice. If the conversation weighs more than `limit`,
 * evicts the oldest results until it weighs at most `target`. Evicted results stay evicted, so that a request begins
 * like the previous one, which providers cache. The last results and those without an answer of the model stay.
 * @param fixed weight of the tools that are sent with the messages
 */
export function evictResults<M extends FittingMessage>(
  messages: readonly M[],
  { through, fixed, limit, target }: { through: number; fixed: number; limit: number; target: number },
): Evicted<M> {
  const evicted = [...messages];
  const numbers: number[] = [];
  let weight = fixed + messages.reduce((sum, message) => sum + weightOfMessage(message), 0);
  const evict = ({ index, number, line }: Candidate) => {
    const message = messages[index]!;
    weight -= weightOf(message.content) - weightOf(line);
    evicted[index] = { ...message, content: line };
    numbers.push(number);
  };
  const candidates = candidatesOf(messages);
  const out = candidates.filter(({ index }) => index < through);
  for (const candidate of out) evict(candidate);
  let last = through;
  if (weight > limit) {
    for (const candidate of candidates.slice(out.length)) {
      if (weight <= target) break;
      evict(candidate);
      last = candidate.index + 1;
    }
  }
  return { messages: evicted, through: last, numbers };
}

interface Candidate {
  index: number;
  number: number;
  line: string;
}

function candidatesOf(messages: readonly FittingMessage[]): Candidate[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'ASSISTANT');
  const results = messages.flatMap((message, index) => {
    const result = findCitedResult(message);
    return result === null ? [] : [{ index, ...result }];
  });
  return results
    .slice(0, -LAST_KEPT)
    .map(({ index, number, before }) => ({ index, number, line: `${before}${formatEvictedResult(number)}` }))
    .filter(({ index, line }) => index < lastAnswer && messages[index]!.content.length > line.length);
}
