import { maskMessage } from '../../masking/messages.ts';

/**
 * A process's arguments as one line, without secrets: every user of a machine can read command lines, but what a tool returns
 * goes to a model and into a database. @throws Error on a failure of masking
 */
export function maskCommandLine(commandLine: readonly string[]): string {
  // A process that sets its own title leaves one string with spaces in it.
  if (commandLine.length === 1) return maskMessage(commandLine[0]!);
  return maskMessage(commandLine.map(shellQuoted).join(' '));
}

/** An argument as a shell would take it for one, so that a password with blanks is masked whole. */
function shellQuoted(argument: string): string {
  if (!/\s/.test(argument)) return argument;
  return argument.includes("'") ? JSON.stringify(argument) : `'${argument}'`;
}
