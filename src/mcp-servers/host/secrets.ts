import { maskMessage } from '../../masking/messages.ts';

/** Returns a process's arguments as one line with secrets masked. @throws if masking fails */
export function maskCommandLine(commandLine: readonly string[]): string {
  // A process that sets its own title has one string with spaces.
  if (commandLine.length === 1) return maskMessage(commandLine[0]!);
  return maskMessage(commandLine.map(shellQuoted).join(' '));
}

/** Quotes an argument with spaces, so that a password with spaces is masked entirely. */
function shellQuoted(argument: string): string {
  if (!/\s/.test(argument)) return argument;
  return argument.includes("'") ? JSON.stringify(argument) : `'${argument}'`;
}
