import { oncePer } from '../common/once-per.ts';
import { passwordsOf } from '../config/inherited-env.ts';
import { looksSecret } from '../config/interpolate.ts';
import { secretsOf } from './authorization.ts';
import type { McpTransportSettings, RemoteTransportSettings, StdioTransportSettings } from './types.ts';

/** What stands for a credential in text. */
const MASK = '[MASKED_CREDENTIAL]';
/** Shorter values are words such as "true", which stand in text for other reasons. */
const MIN_LENGTH = 6;

/**
 * Takes the credentials that we gave a server out of what it says: a careless one quotes them in its errors, whatever
 * masking is configured for its results.
 */
export function hideCredentials(settings: McpTransportSettings, text: string): string {
  let hidden = text;
  for (const credential of credentialsOf(settings)) hidden = hidden.replaceAll(credential, MASK);
  return hidden;
}

/** Longest first: one may be part of another. */
function credentialsOf(settings: McpTransportSettings): string[] {
  // A secret in a file may be another one by now.
  const values =
    settings.type === 'stdio' ? ofStdio(settings) : [...secretsOf(settings), ...ofHttp(settings)];
  return [...new Set(values)]
    .filter((value) => value.length >= MIN_LENGTH)
    .sort((one, other) => other.length - one.length);
}

/** Proxies are told by URLs. */
const ofStdio = oncePer(({ env }: StdioTransportSettings): string[] => [
  ...named(env ?? {}),
  ...Object.values(env ?? {}).flatMap(passwordsOf),
]);

const ofHttp = oncePer(({ url, customHeaders }: RemoteTransportSettings): string[] => {
  const headers = named(customHeaders ?? {});
  return [
    ...headers,
    // Without the scheme: "Basic …", "Bearer …".
    ...headers.map((value) => value.replace(/^[A-Za-z]+ +/, '')),
    ...passwordsOf(url),
    ...named(Object.fromEntries(new URL(url).searchParams)),
  ];
});

function named(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => (looksSecret(name) ? [value] : []));
}
