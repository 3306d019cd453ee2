/** Exit statuses of the commands. 141 is the status that shells report for a program whose reader closed the pipe. */
export const EXIT = {
  COMPLETED: 0,
  FAILED: 1,
  USAGE: 2,
  CANCELLED: 3,
  INCONCLUSIVE: 3,
  TIMED_OUT: 4,
  UNREACHABLE: 5,
  INTERRUPTED: 130,
  PIPE_CLOSED: 141,
} as const;

/** A failure of the command: `code` is for scripts, `hint` tells the user how to fix it. */
export class CliError extends Error {
  readonly exitCode: number;
  readonly code: string;
  readonly hint: string | null;
  constructor(exitCode: number, code: string, message: string, hint: string | null = null) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
    this.code = code;
    this.hint = hint;
  }
}

export function usageError(message: string): CliError {
  return new CliError(EXIT.USAGE, 'USAGE', message, 'See `npm run alert -- --help`.');
}
