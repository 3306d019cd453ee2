import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { errorMessage } from '../common/error-message.ts';
import { usageError } from './errors.ts';

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

export const DEFAULT_URL = 'http://127.0.0.1:8080/graphql';

export const ALERT_HELP = `Submits an alert and shows its investigation as it runs.

  npm run alert -- "Disk almost full on this host: / above 90%"
  npm run alert -- --file alert.json
  journalctl -u app | npm run alert -- --type kubernetes

Options
  --file PATH      read the alert from a file; - is standard input
  --type NAME      alert type, which selects the chain (default: the server's)
  --runbook URL    runbook for this alert
  --json           print one JSON object per event, and a summary as the last line
  --url URL        address of the server (default: TARSY_URL, else ${DEFAULT_URL})
  --help           print this text

Environment
  TARSY_URL        see --url
  TARSY_TOKEN      token with the scopes READ and SUBMIT_ALERTS, if the server requires one; never an
                   argument, because every process of the machine can read arguments

Exit status
  0 completed   1 failed   2 wrong input   3 cancelled   4 timed out   5 server unreachable
  130 interrupted: the investigation continues
`;

/** Parses the command line of `npm run alert`; returns `null` if help is requested. @throws CliError (usage) */
export function parseAlertArgs(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  stdinIsTerminal: boolean,
): AlertOptions | null {
  const { values, positionals } = parseCommandLine(argv, {
    file: { type: 'string' },
    type: { type: 'string' },
    runbook: { type: 'string' },
    json: { type: 'boolean' },
    url: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  });
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
export function parseCommandLine<const Options extends ParseArgsOptionsConfig>(
  argv: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options });
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
