export type ToolFailureCode =
  | 'BAD_INPUT'
  | 'NOT_ALLOWED'
  | 'NOT_FOUND'
  | 'NOT_PERMITTED'
  | 'NOT_SUPPORTED'
  | 'FAILED';

/** A tool failure whose message is sent to the model (an MCP result with isError). */
export class ToolFailure extends Error {
  readonly code: ToolFailureCode;

  constructor(code: ToolFailureCode, message: string) {
    super(message);
    this.name = 'ToolFailure';
    this.code = code;
  }
}

export function systemCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** Converts a file system error. @param what subject of the message, e.g. `"/var/log/app.log"` */
export function fileFailure(error: unknown, what: string): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const code = systemCode(error);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ESRCH':
      return new ToolFailure('NOT_FOUND', `${what} does not exist.`);
    case 'EACCES':
    case 'EPERM':
      return new ToolFailure('NOT_PERMITTED', `${what} may not be read by the user this server runs as.`);
    default:
      return new ToolFailure('FAILED', `${what} could not be read (${code ?? 'unknown error'}).`);
  }
}
