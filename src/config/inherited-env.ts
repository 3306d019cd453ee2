import type { EnvironmentRecord } from './env.ts';
import { looksSecret } from './interpolate.ts';
import type { TransportConfig } from './types.ts';

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);
/** Variables that name trusted certificates to Node, OpenSSL, Python, curl, uv, npm, git and the SDKs of AWS. */
const CERTIFICATES = [
  ...['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'NODE_USE_ENV_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'PIP_CERT', 'UV_NATIVE_TLS', 'UV_SYSTEM_CERTS'],
  ...['NPM_CONFIG_CAFILE', 'npm_config_cafile', 'GIT_SSL_CAINFO', 'AWS_CA_BUNDLE'],
];
/** Variables that every stdio server inherits, because without them it reaches nothing behind a proxy. */
const NETWORK = [...PROXIES, ...CERTIFICATES];

/**
 * Adds variables of TARSy's environment to a stdio server's `env`: those that every server inherits and those that
 * `inheritEnv` names. Variables written in `env` take precedence.
 */
export function withInheritedEnv(transport: TransportConfig, env: EnvironmentRecord): TransportConfig {
  if (transport.type !== 'stdio') return transport;
  return { ...transport, env: { ...pickEnv([...NETWORK, ...transport.inheritEnv], env), ...transport.env } };
}

/** Returns the secrets in inherited variables: the value if the name looks secret, else the password if it is a URL. */
export function inheritedEnvSecrets(
  transports: readonly TransportConfig[],
  env: EnvironmentRecord,
): string[] {
  const names = transports.flatMap((transport) =>
    transport.type === 'stdio' ? [...NETWORK, ...transport.inheritEnv] : [],
  );
  return Object.entries(pickEnv(names, env)).flatMap(([name, value]) =>
    looksSecret(name) ? [value] : passwordsOf(value),
  );
}

/** Returns the password of a URL in two forms, as written and percent-decoded; empty if the text has no password. */
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
