/** Exit statuses of the command. 141 is what a shell reports of a process that a closed pipe ended. */
export const EXIT = {
  COMPLETED: 0,
  FAILED: 1,
  USAGE: 2,
  CANCELLED: 3,
  TIMED_OUT: 4,
  UNREACHABLE: 5,
  INTERRUPTED: 130,
  PIPE_CLOSED: 141,
} as const;

/** Why the command could not do its work: `code` for scripts, `hint` for what mends it. */
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

/** The command line itself is wrong. */
export function usageError(message: string): CliError {
  return new CliError(EXIT.USAGE, 'USAGE', message, 'See `npm run alert -- --help`.');
}
