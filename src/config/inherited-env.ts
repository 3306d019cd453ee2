import type { EnvironmentRecord } from './env.ts';
import { looksSecret } from './interpolate.ts';
import type { TransportConfig } from './types.ts';

/** A server over stdio gets the variables that it is to inherit, as far as they are set; its own `env` goes first. */
export function withInheritedEnv(transport: TransportConfig, env: EnvironmentRecord): TransportConfig {
  if (transport.type !== 'stdio') return transport;
  return { ...transport, env: { ...pickEnv(transport.inheritEnv, env), ...transport.env } };
}

/** Values of such variables that must not be told: by their names, or because they are URLs with a password. */
export function inheritedEnvSecrets(
  transports: readonly TransportConfig[],
  env: EnvironmentRecord,
): string[] {
  const names = transports.flatMap((transport) => (transport.type === 'stdio' ? transport.inheritEnv : []));
  return Object.entries(pickEnv(names, env)).flatMap(([name, value]) =>
    looksSecret(name) ? [value] : passwordsOf(value),
  );
}

/** The password of a URL, as it stands there and as it is; empty when the text is no URL with one. */
export function passwordsOf(url: string): string[] {
  const password = URL.canParse(url) ? new URL(url).password : '';
  return password === '' ? [] : [password, decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a % of its own
  }
}

function pickEnv(names: readonly string[], env: EnvironmentRecord): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
