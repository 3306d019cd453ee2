/** The reason why a runbook is unavailable. */
export type RunbookProblem =
  | 'NOT_ALLOWED'
  | 'PRIVATE_ADDRESS'
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'NOT_FOUND'
  | 'BAD_ANSWER'
  | 'TOO_MANY_REDIRECTS'
  | 'TOO_LARGE'
  | 'NOT_TEXT'
  | 'MASKING_FAILED';

/**
 * Thrown if a runbook is unavailable. Users and the model see the message, so it contains no resolved address and no
 * part of a URL except the host.
 */
export class RunbookError extends Error {
  readonly code: RunbookProblem;
  constructor(code: RunbookProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RunbookError';
    this.code = code;
  }
}
