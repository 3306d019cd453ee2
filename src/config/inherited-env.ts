import type { EnvironmentRecord } from './env.ts';
import { looksSecret } from './interpolate.ts';
import type { TransportConfig } from './types.ts';

/** Adds the variables that `inheritEnv` names to a stdio server's `env`. Variables written in `env` take precedence. */
export function withInheritedEnv(transport: TransportConfig, env: EnvironmentRecord): TransportConfig {
  if (transport.type !== 'stdio') return transport;
  return { ...transport, env: { ...pickEnv(transport.inheritEnv, env), ...transport.env } };
}

/** Returns the secrets in inherited variables: values of secret-looking names, else passwords in URLs. */
export function inheritedEnvSecrets(
  transports: readonly TransportConfig[],
  env: EnvironmentRecord,
): string[] {
  const names = transports.flatMap((transport) => (transport.type === 'stdio' ? transport.inheritEnv : []));
  return Object.entries(pickEnv(names, env)).flatMap(([name, value]) =>
    looksSecret(name) ? [value] : passwordsOf(value),
  );
}

/** Returns the password of a URL, as written and decoded; empty if the text is not a URL with a password. */
export function passwordsOf(url: string): string[] {
  const password = URL.canParse(url) ? new URL(url).password : '';
  return password === '' ? [] : [password, decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // `%` is not an escape here
  }
}

function pickEnv(names: readonly string[], env: EnvironmentRecord): Record<string, string> {
  const all = names.map((name) => [name, env[name]] as const);
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
