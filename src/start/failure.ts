import { errorMessage } from '../common/error-message.ts';
import { type Listener, listenProblem } from './listen.ts';

/** Writes the message of an error that an operator can correct, else the stack trace. @returns the exit code */
export function reportFailure(
  error: unknown,
  out: { write(text: string): unknown },
  env: NodeJS.ProcessEnv = process.env,
): number {
  if (isListenError(error)) out.write(`${listenProblem(listenerOf(error, env), error.code)}\n`);
  else if (isExpected(error)) out.write(`${errorMessage(error)}\n`);
  else out.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return 1;
}

/** True for an error that an operator can correct: one of our classes with a code. */
export function isExpected(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && error.name !== 'Error'
  );
}

interface ListenFailure extends Error {
  code: string;
  address: string;
  port: number;
}

function isListenError(error: unknown): error is ListenFailure {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen';
}

function listenerOf({ address, port }: ListenFailure, env: NodeJS.ProcessEnv): Listener {
  return { name: String(port) === env.METRICS_PORT?.trim() ? 'METRICS' : 'HTTP', host: address, port };
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
