import { LlmError } from './errors.ts';

/** A call that broke off, with what had arrived; the timeline items of it are closed. */
export class ModelCallError extends Error {
  readonly partialText: string;
  /** At least one of the calls that the model asked for had arrived; none is made. */
  readonly toldCalls: boolean;
  constructor(cause: unknown, partialText: string, toldCalls = false) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'ModelCallError';
    this.partialText = partialText;
    this.toldCalls = toldCalls;
  }
}

/** The model takes the conversation not even with all left out that can be. */
export function isTooLong({ cause }: ModelCallError): boolean {
  return cause instanceof LlmError && cause.code === 'context_too_long';
}

/** "rate_limited: …" for an error of the LLM service, else its message. */
export function describeError(error: unknown): string {
  if (error instanceof LlmError) return `${error.code}: ${error.message}`;
  // The platform's own words for a time limit say nothing of what was limited.
  if (error instanceof Error && error.name === 'TimeoutError')
    return 'timeout: the time limit of this step was reached';
  return error instanceof Error ? error.message : String(error);
}
