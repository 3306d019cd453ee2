import { oncePer } from '../common/once-per.ts';
import { passwordsOf } from '../config/inherited-env.ts';
import { looksSecret } from '../config/interpolate.ts';
import { configuredSecrets } from './authorization.ts';
import type { McpTransportSettings, RemoteTransportSettings, StdioTransportSettings } from './types.ts';

const MASK = '[MASKED_CREDENTIAL]';
/** Minimum length of a masked value (characters), because short values such as "true" are also ordinary words. */
const MIN_LENGTH = 6;

/** Masks the server's credentials in its text, because careless servers quote them in errors. */
export function maskCredentials(settings: McpTransportSettings, text: string): string {
  let masked = text;
  for (const credential of credentialsOf(settings)) masked = masked.replaceAll(credential, MASK);
  return masked;
}

/** Returns the credentials, longest first because one may be part of another. */
function credentialsOf(settings: McpTransportSettings): string[] {
  // Secrets in files are read each time, because they may be rotated.
  const values =
    settings.type === 'stdio' ? ofStdio(settings) : [...configuredSecrets(settings), ...ofHttp(settings)];
  return [...new Set(values)]
    .filter((value) => value.length >= MIN_LENGTH)
    .sort((one, other) => other.length - one.length);
}

/** Returns the secret environment variables of a stdio server, and passwords in URLs, such as proxy addresses. */
const ofStdio = oncePer(({ env }: StdioTransportSettings): string[] => [
  ...named(env ?? {}),
  ...Object.values(env ?? {}).flatMap(passwordsOf),
]);

const ofHttp = oncePer(({ url, customHeaders }: RemoteTransportSettings): string[] => {
  const headers = named(customHeaders ?? {});
  return [
    ...headers,
    // The header values without a scheme such as "Basic" or "Bearer".
    ...headers.map((value) => value.replace(/^[A-Za-z]+ +/, '')),
    ...passwordsOf(url),
    ...named(Object.fromEntries(new URL(url).searchParams)),
  ];
});

function named(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => (looksSecret(name) ? [value] : []));
}
