import { isTimeout } from '../common/interruptions.ts';
import { describeError, LlmError, type ModelCallError } from '../model/errors.ts';
import { LoopDetectedError } from '../model/loop-detector.ts';
import type { Codec } from '../run-context/codec.ts';
import { describeTools, type PromptTool } from './tool-list.ts';

const MAX_CONSECUTIVE_TIMEOUTS = 2;
/** Maximum number of consecutive empty responses; one more fails the agent. */
const MAX_EMPTY_RESPONSES = 2;
/** Maximum length of the interrupted response in the feedback to the model (UTF-16 code units). */
const PARTIAL_FEEDBACK_UNITS = 2000;

/** Counts of an agent's consecutive failed iterations, by kind of failure. */
export interface IterationState {
  /** Error of the last model call; `null` if the model answered. */
  lastFailure: string | null;
  timeoutsInARow: number;
  failuresInARow: number;
  emptyInARow: number;
}

export function createIterationState(): IterationState {
  return { lastFailure: null, timeoutsInARow: 0, failuresInARow: 0, emptyInARow: 0 };
}

/**
 * Counts an empty response. Returns true if the agent may try again. The call did not fail, so that an agent concludes
 * if its last response was empty.
 */
export function recordEmpty(state: IterationState): boolean {
  state.lastFailure = null;
  state.emptyInARow += 1;
  return state.emptyInARow <= MAX_EMPTY_RESPONSES;
}

/** Counts a failed model call. Returns why the agent fails, or `null` if it may try again. */
export function recordFailure(
  state: IterationState,
  { cause }: ModelCallError,
  maxFailures: number,
): { reason: string; status: 'FAILED' | 'TIMED_OUT' } | null {
  const failure = describeError(cause);
  state.lastFailure = failure;
  state.failuresInARow += 1;
  state.timeoutsInARow = isTimeout(cause) ? state.timeoutsInARow + 1 : 0;
  if (cause instanceof LlmError && !cause.retryable && avoidableCode(cause) === null)
    return { reason: `The model cannot be called: ${failure}`, status: 'FAILED' };
  if (state.timeoutsInARow >= MAX_CONSECUTIVE_TIMEOUTS)
    return { reason: `${state.timeoutsInARow} timeouts in a row: ${failure}`, status: 'TIMED_OUT' };
  if (state.failuresInARow >= maxFailures)
    return { reason: `${state.failuresInARow} failed calls in a row: ${failure}`, status: 'FAILED' };
  return null;
}

/** Failures that the model caused and can avoid in its next response: the reason in the feedback, by error code. */
const AVOIDABLE = {
  malformed_tool_call: 'the tool call could not be read',
  output_truncated: 'it was longer than the output limit',
  loop_detected: 'it repeated itself and was stopped',
} as const;

function avoidableCode(cause: unknown): keyof typeof AVOIDABLE | null {
  const isCoded = cause instanceof LlmError || cause instanceof LoopDetectedError;
  return isCoded && Object.hasOwn(AVOIDABLE, cause.code) ? (cause.code as keyof typeof AVOIDABLE) : null;
}

/**
 * Returns a prompt that tells the model why its last call failed. `null` if the model wrote no text and the
 * failure was neither a timeout nor avoidable, because the model cannot avoid other failures.
 */
export function failureFeedback(
  { cause, partialText }: ModelCallError,
  codec: Pick<Codec, 'partial'>,
): string | null {
  const code = avoidableCode(cause);
  const partial = code === 'loop_detected' ? '' : codec.partial(partialText).slice(0, PARTIAL_FEEDBACK_UNITS);
  if (code !== null) return brokenResponsePrompt(AVOIDABLE[code], partial);
  if (partial === '' && !isTimeout(cause)) return null;
  return brokenResponsePrompt(
    isTimeout(cause) ? 'the response took too long' : 'the connection was lost',
    partial,
  );
}

/**
 * Returns the message for another request of a conclusion that failed; `null` if another request does not help. A
 * malformed call is a tool call although none was offered.
 */
export function conclusionRetry(
  error: ModelCallError,
  codec: Pick<Codec, 'partial' | 'conclusionPrompt'>,
): { feedback: string | null } | null {
  const code = avoidableCode(error.cause);
  if (code === 'malformed_tool_call') return { feedback: codec.conclusionPrompt(NO_ANALYSIS_PROMPT) };
  const mayHelp = code !== null || (error.cause instanceof LlmError && error.cause.retryable);
  return mayHelp ? { feedback: failureFeedback(error, codec) } : null;
}

/** Prompt that asks again for a conclusion, after the model answered with a tool call or without text. */
export const NO_ANALYSIS_PROMPT =
  'Your last response was no analysis, and no more tool calls are possible. Write the final analysis as text, from your findings.';

export function forcedConclusionPrompt(iterationsUsed: number, maxIterations: number): string {
  return `You have used ${iterationsUsed} of ${maxIterations} iterations, ${CONCLUSION}`;
}

const CONCLUSION = `and no more tool calls are possible.

Conclude now from your findings:

- Write the final analysis in the requested form.
- Separate what is proven, what is likely, and what you could not check.
- Name the checks that you would have made next, so that a person can make them.`;

export const BUDGET_CONCLUSION_PROMPT = `The budget of this investigation is used up, ${CONCLUSION}`;

export const TIME_CONCLUSION_PROMPT = `The time for your work is nearly used up, ${CONCLUSION}`;

export const REQUESTED_CONCLUSION_PROMPT = `A responder asks you to conclude now, ${CONCLUSION}`;

/** Returns a prompt that tells the model that its response was stopped, because it must conclude. */
export function stoppedPrompt(
  { partialText, hadToolCalls }: ModelCallError,
  codec: Pick<Codec, 'partial'>,
): string {
  const partial = codec.partial(partialText).slice(0, PARTIAL_FEEDBACK_UNITS);
  return [
    `Your last response was stopped, because you must conclude now.${hadToolCalls ? ' None of its tool calls was made.' : ''}`,
    ...(partial === '' ? [] : [`Until then you had written:\n\n${partial}`]),
  ].join('\n\n');
}

export function newToolsPrompt(tools: readonly PromptTool[]): string {
  return `These tools are now available in addition; use them where they help:\n\n${describeTools(tools)}`;
}

export function nativeToolsGonePrompt(names: readonly string[]): string {
  return `These native tools are no longer available: ${names.join(', ')}. Continue without them.`;
}

export const EMPTY_RESPONSE_PROMPT =
  'Your last response was empty. Call a tool, or write the final analysis as text.';

/**
 * Asks for the complete response again, because half of a final analysis or of a ReAct response is none.
 * @param partial beginning of the interrupted response
 */
export function brokenResponsePrompt(reason: string, partial: string): string {
  const written = partial && `\n\nYou had written this so far:\n\n${partial}`;
  return `Your last response was interrupted: ${reason}. Write the whole response again, more briefly.${written}`;
}
