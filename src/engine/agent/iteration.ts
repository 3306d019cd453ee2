import { isTimeout } from '../common/interruptions.ts';
import { describeError, LlmError, type ModelCallError } from '../model/errors.ts';
import type { Codec } from '../run-context/codec.ts';
import { LoopDetectedError } from './loop-detector.ts';
import { describeTools, type PromptTool } from './tool-list.ts';

/** Iteration timeouts in a row after which an agent gives up. */
export const MAX_CONSECUTIVE_TIMEOUTS = 2;

/** Empty responses that are answered with a nudge before they count as failures. */
export const MAX_EMPTY_RESPONSES = 2;

/** Text of a broken-off response that the next attempt is reminded of, in UTF-16 code units. */
export const PARTIAL_FEEDBACK_UNITS = 2000;

/** What happened in the iterations so far, and whether another one makes sense. */
export interface IterationState {
  /** The last iteration did not end well: there is nothing to conclude from it. */
  lastFailure: string | null;
  timeoutsInARow: number;
  failuresInARow: number;
  emptyInARow: number;
}

export function createIterationState(): IterationState {
  return { lastFailure: null, timeoutsInARow: 0, failuresInARow: 0, emptyInARow: 0 };
}

/** Takes an answer into account that says nothing. @returns whether another one is worth a try */
export function recordEmpty(state: IterationState): boolean {
  state.lastFailure = 'The model gave an empty response.';
  state.emptyInARow += 1;
  return state.emptyInARow <= MAX_EMPTY_RESPONSES;
}

/** Takes a failed model call into account. */
export function recordFailure(state: IterationState, error: ModelCallError): void {
  state.lastFailure = describeError(error.cause);
  state.failuresInARow += 1;
  state.timeoutsInARow = isTimeout(error.cause) ? state.timeoutsInARow + 1 : 0;
}

/** Why the agent should give up; null = go on. */
export function givingUp(
  state: IterationState,
  error: ModelCallError,
  maxFailures: number,
): { reason: string; timedOut: boolean } | null {
  if (error.cause instanceof LlmError && !error.cause.retryable) {
    return { reason: `The model cannot be called: ${state.lastFailure}`, timedOut: false };
  }
  if (state.timeoutsInARow >= MAX_CONSECUTIVE_TIMEOUTS) {
    return { reason: `${state.timeoutsInARow} timeouts in a row: ${state.lastFailure}`, timedOut: true };
  }
  if (state.failuresInARow >= maxFailures) {
    return { reason: `${state.failuresInARow} failed calls in a row: ${state.lastFailure}`, timedOut: false };
  }
  return null;
}

/**
 * What to tell the model before it tries again; null = nothing, where it did nothing wrong and wrote nothing
 * (the service was away, the provider was busy).
 */
export function failureFeedback(
  { cause, partialText }: ModelCallError,
  codec: Pick<Codec, 'partial' | 'brokenPrompt'>,
): string | null {
  if (cause instanceof LoopDetectedError) {
    return codec.brokenPrompt('it said the same again and again and was stopped', '');
  }
  const partial = codec.partial(partialText);
  if (partial === '' && !isTimeout(cause)) return null;
  const reason = isTimeout(cause) ? 'it took too long' : 'the connection was lost';
  return codec.brokenPrompt(reason, partial.slice(0, PARTIAL_FEEDBACK_UNITS));
}

/** Turns in which the engine tells the model what went wrong or what to do next. */

export function forcedConclusionPrompt(iterationsUsed: number, maxIterations: number): string {
  return `You have used ${iterationsUsed} of ${maxIterations} iterations, and no more tool calls are possible.

Conclude now from what you have:

- Write the final analysis in the form that was asked for.
- Keep apart what is proven, what is likely, and what you could not check.
- Name the checks you would have made next, so that a person can make them.`;
}

/** The budget is used up. */
export const BUDGET_CONCLUSION_PROMPT = `The budget of this investigation is used up, and no more tool calls are possible.

Conclude now from what you have:

- Write the final analysis in the form that was asked for.
- Keep apart what is proven, what is likely, and what you could not check.
- Name the checks you would have made next, so that a person can make them.`;

/** Tools came while the model worked: their server was not there before, or has new ones. */
export function newToolsPrompt(tools: readonly PromptTool[]): string {
  return `More tools are there now than at the beginning; use them where they help:\n\n${describeTools(tools)}`;
}

/** Another provider's model goes on, which has none of these. */
export function nativeToolsGonePrompt(names: readonly string[]): string {
  return `These tools of your own are not there any more: ${names.join(', ')}. Go on without them.`;
}

export const EMPTY_RESPONSE_PROMPT =
  'Your last response was empty. Call a tool, or write the final analysis as text.';

/** `partial` is what had arrived of a response that broke off, cut to a readable length. */
export function brokenResponsePrompt(reason: string, partial: string): string {
  const rest =
    partial === ''
      ? ''
      : `\n\nUntil then you had written:\n\n${partial}\n\nGo on from there, without repeating it.`;
  return `Your last response broke off: ${reason}. Please try again, more briefly.${rest}`;
}
