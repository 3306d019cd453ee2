import { errorMessage } from '../common/error-message.ts';

/** Writes the message of an error that an operator can correct, else the stack trace. @returns the exit code */
export function reportFailure(
  error: unknown,
  out: { write(text: string): unknown },
  env: NodeJS.ProcessEnv = process.env,
): number {
  const isExpected =
    error instanceof Error && 'code' in error && typeof error.code === 'string' && error.name !== 'Error';
  if (isExpected || isListenError(error)) out.write(`${messageOf(error, env)}\n`);
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

function messageOf(error: unknown, env: NodeJS.ProcessEnv): string {
  if (!isListenError(error)) return errorMessage(error);
  const server = String(error.port) === env.METRICS_PORT?.trim() ? 'METRICS' : 'HTTP';
  if (error.code === 'EADDRINUSE') {
    return `Port ${error.port} on ${error.address} is taken. Stop what uses it, or set ${server}_PORT to another one.`;
  }
  return `Cannot listen on ${error.address}:${error.port} (${error.code}). Set ${server}_HOST and ${server}_PORT to what this machine has.`;
}

/** Exit code that shells report for a program whose reader closed the pipe (`| head`). */
const PIPE_CLOSED = 141;

/** Makes the process end if output cannot be written: silently if the reader closed the pipe, else with a message. */
export function endWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(PIPE_CLOSED);
      if (stream !== process.stderr)
        process.stderr.write(`The output could not be written: ${error.message}\n`);
      process.exit(1);
    });
}
