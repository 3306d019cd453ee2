import { isTimeout } from '../common/interruptions.merge1.ts';
import { describeError, type ModelCallError } from '../model/errors.merge1.ts';
import { LlmError } from '../model/errors.ts';
import type { Codec } from '../run-context/codec.ts';
import { MAX_CONSECUTIVE_TIMEOUTS, MAX_EMPTY_RESPONSES, PARTIAL_FEEDBACK_UNITS } from '../tunables.ts';
import { LoopDetectedError } from './loop-detector.ts';

/** What happened in the iterations so far, and whether another one makes sense. */
export interface IterationState {
  /** The last iteration did not end well: there is nothing to conclude from it. */
  lastFailure: string | null;
  timeoutsInARow: number;
  failuresInARow: number;
  emptyInARow: number;
}

export function freshState(): IterationState {
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
