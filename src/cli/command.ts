import type { Writable } from 'node:stream';
import { type CommandHelp, renderHelp } from '../common/command-help.ts';
import { sanitizeLine } from '../common/printable.ts';
import type { Server } from './api.ts';
import { parseCommandLine, parseEndpoint, parseToken } from './args.ts';
import { CliError, EXIT } from './errors.ts';
import { DEFAULT_URL } from './help.ts';

interface Io {
  stdout: Writable;
  stderr: Writable;
  env: Readonly<Record<string, string | undefined>>;
}

/** A command that sends one request to the server and prints the result. */
export interface Command {
  help: CommandHelp;
  /** Scopes that a token needs for the command, separated by commas. */
  requiredScopes: string;
  /** Returns the text for standard output. @throws CliError */
  run(given: CommandInput, server: Server): Promise<string>;
}

interface CommandInput {
  values: Readonly<Record<string, string | undefined>>;
  positionals: readonly string[];
}

/** Runs a command and returns its exit status. */
export async function runCommand(
  { help, requiredScopes, run }: Command,
  argv: readonly string[],
  io: Io,
): Promise<number> {
  try {
    const parsed = parseCommandLine(help, argv);
    const { help: isHelp, ...values } = parsed.values as { help?: boolean } & CommandInput['values'];
    const runOnServer = () => {
      const url = parseEndpoint(values.url ?? (io.env.TARSY_URL || DEFAULT_URL));
      const token = parseToken(io.env.TARSY_TOKEN);
      return run({ values, positionals: parsed.positionals }, { url, token, requiredScopes });
    };
    io.stdout.write(isHelp === true ? renderHelp(help) : await runOnServer());
    return EXIT.COMPLETED;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const hint = error.code === 'USAGE' ? `See \`${help.command} -- --help\`.` : error.hint;
    io.stderr.write(
      `${sanitizeLine(error.code)}: ${sanitizeLine(error.message)}\n${hint === null ? '' : `${hint}\n`}`,
    );
    return error.exitCode;
  }
}
