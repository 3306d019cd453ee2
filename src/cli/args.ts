import { type CommandHelp, type CommandOptions, parseCommand } from '../common/command-help.ts';
import { errorMessage } from '../common/error-message.ts';
import { usageError } from './errors.ts';
import { ALERT, DEFAULT_URL } from './help.ts';

export type AlertSource = { kind: 'text'; text: string } | { kind: 'file'; path: string } | { kind: 'stdin' };

export interface AlertOptions {
  source: AlertSource;
  alertType: string | null;
  runbookUrl: string | null;
  json: boolean;
  /** URL of the GraphQL endpoint. */
  url: URL;
  token: string | null;
}

/** Parses the command line of `npm run alert`; returns `null` if help is requested. @throws CliError (usage) */
export function parseAlertArgs(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  stdinIsTerminal: boolean,
): AlertOptions | null {
  const { values, positionals } = parseCommandLine(ALERT, argv);
  if (values.help === true) return null;
  return {
    source: parseSource(values.file, positionals, stdinIsTerminal),
    alertType: values.type ?? null,
    runbookUrl: values.runbook ?? null,
    json: values.json === true,
    url: parseEndpoint(values.url ?? (env.TARSY_URL || DEFAULT_URL)),
    token: parseToken(env.TARSY_TOKEN),
  };
}

/** Parses options and positional arguments. @throws CliError (usage) */
export function parseCommandLine<Options extends CommandOptions>(
  help: CommandHelp<Options>,
  argv: readonly string[],
) {
  try {
    return parseCommand(help, argv);
  } catch (error) {
    throw usageError(errorMessage(error));
  }
}

function parseSource(
  file: string | undefined,
  positionals: readonly string[],
  stdinIsTerminal: boolean,
): AlertSource {
  if (positionals.length > 0) {
    if (file !== undefined) throw usageError('Give the alert as text or with --file, not both.');
    return { kind: 'text', text: positionals.join(' ') };
  }
  if (file !== undefined && file !== '-') return { kind: 'file', path: file };
  if (stdinIsTerminal && file === undefined)
    throw usageError('No alert given. Give its text, or --file PATH.');
  return { kind: 'stdin' };
}

/** Returns the token; `null` if empty or unset. @throws CliError for an invalid token, without showing the token */
export function parseToken(text: string | undefined): string | null {
  const token = text?.trim() ?? '';
  if (!/^[\x21-\x7e]*$/.test(token))
    throw usageError('TARSY_TOKEN has characters that no token has. Set it to the token alone.');
  return token === '' ? null : token;
}

/**
 * Parses the address of the server or of its GraphQL endpoint, with or without a prefix and a slash at the end.
 * @returns the URL of the endpoint
 * @throws CliError (usage), without showing a password
 */
export function parseEndpoint(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.username !== '' || url.password !== ''))
    throw usageError(
      'TARSY_URL and --url must not contain a user or password. Put a token into TARSY_TOKEN.',
    );
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw usageError(`"${text}" is not an http(s) URL.`);
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/graphql') ? path : `${path}/graphql`;
  url.hash = '';
  return url;
}
