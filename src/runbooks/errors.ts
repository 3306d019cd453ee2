export type RunbookProblem =
  | 'NOT_ALLOWED'
  | 'PRIVATE_ADDRESS'
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'NOT_FOUND'
  | 'SIGN_IN'
  | 'BAD_ANSWER'
  | 'TOO_MANY_REDIRECTS'
  | 'TOO_LARGE'
  | 'NOT_TEXT'
  | 'MASKING_FAILED';

/** Thrown if a runbook is unavailable. The message names only hosts, because viewers and the model read it. */
export class RunbookError extends Error {
  readonly code: RunbookProblem;
  constructor(code: RunbookProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RunbookError';
    this.code = code;
  }
}
