/**
 * Says why a start failed: one line (or a list of them) for what the operator can mend, a stack only for what
 * nobody foresaw.
 * @returns the exit code
 */
export function reportFailure(error: unknown, out: { write(text: string): unknown }): number {
  const foreseen =
    error instanceof Error && 'code' in error && typeof error.code === 'string' && error.name !== 'Error';
  if (foreseen || isListenError(error)) out.write(`${messageOf(error)}\n`);
  else out.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return 1;
}

interface ListenError extends Error {
  code: string;
  address: string;
  port: number;
}

function isListenError(error: unknown): error is ListenError {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen';
}

function messageOf(error: unknown): string {
  if (!isListenError(error)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'EADDRINUSE') {
    return `Port ${error.port} on ${error.address} is taken. Stop what uses it, or set HTTP_PORT to another one.`;
  }
  return `Cannot listen on ${error.address}:${error.port} (${error.code}). Set HTTP_HOST and HTTP_PORT to what this machine has.`;
}
