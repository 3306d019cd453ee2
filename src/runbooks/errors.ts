/**
 * Why a runbook could not be had. The message is for people and for the model: it names no address that a name resolved
 * to, and no part of a URL but its host.
 */
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

export class RunbookError extends Error {
  readonly code: RunbookProblem;
  constructor(code: RunbookProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RunbookError';
    this.code = code;
  }
}
