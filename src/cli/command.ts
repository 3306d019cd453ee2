import type { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { errorMessage } from '../common/error-message.ts';
import { sanitizeLine } from '../common/printable.ts';
import type { Server } from './api.ts';
import { DEFAULT_URL, parseEndpoint, parseToken } from './args.ts';
import { CliError, EXIT, usageError } from './errors.ts';

interface Io {
  stdout: Writable;
  stderr: Writable;
  env: Readonly<Record<string, string | undefined>>;
}

/** A command that sends one request to the server and prints the result. */
export interface Command {
  /** The name in `npm run <name>`. */
  name: string;
  help: string;
  /** Names of the options with a value, in addition to `url`. */
  options: readonly string[];
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
  { name, help, options, requiredScopes: scopes, run }: Command,
  argv: readonly string[],
  io: Io,
): Promise<number> {
  try {
    const { values, positionals } = parse(argv, options);
    const { help: isHelp, ...given } = values as { help?: boolean } & CommandInput['values'];
    const url = () => parseEndpoint(given.url ?? (io.env.TARSY_URL || DEFAULT_URL));
    const work = () =>
      run(
        { values: given, positionals },
        { url: url(), token: parseToken(io.env.TARSY_TOKEN), requiredScopes: scopes },
      );
    io.stdout.write(isHelp === true ? help : await work());
    return EXIT.COMPLETED;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const hint = error.code === 'USAGE' ? `See \`npm run ${name} -- --help\`.` : error.hint;
    io.stderr.write(
      `${sanitizeLine(error.code)}: ${sanitizeLine(error.message)}\n${hint === null ? '' : `${hint}\n`}`,
    );
    return error.exitCode;
  }
}

function parse(argv: readonly string[], names: readonly string[]) {
  const strings = Object.fromEntries(['url', ...names].map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { ...strings, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw usageError(errorMessage(error));
  }
}
