import {
  type Authenticator,
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import type { NatsConfig } from '../../config/types.ts';
import type { NatsTarget } from './nats-connection.ts';

/**
 * Returns where the notices of an installation go in NATS.
 * @param env holds the secrets that the configuration names
 * @param database identity of the database, so that two databases never share a subject
 */
export function natsTarget(
  config: NatsConfig,
  env: Readonly<Record<string, string | undefined>>,
  database: string,
): NatsTarget {
  const { servers, subjectPrefix, tls } = config;
  const isTls = servers.some((server) => /^tls:/i.test(server));
  const { caFile = null, certFile = null, keyFile = null } = tls ?? {};
  return {
    servers,
    subject: `${subjectPrefix}.${database}.notices`,
    authenticator: authenticatorOf(config, (variable) => env[variable]?.trim() ?? ''),
    tls: isTls
      ? { ...(caFile && { caFile }), ...(certFile && { certFile }), ...(keyFile && { keyFile }) }
      : null,
  };
}

function authenticatorOf(config: NatsConfig, secret: (variable: string) => string): Authenticator | null {
  const { username, passwordEnv, tokenEnv, nkeyEnv, credentialsEnv } = config;
  const bytes = (text: string) => new TextEncoder().encode(text);
  if (credentialsEnv !== null) return credsAuthenticator(bytes(`${secret(credentialsEnv)}\n`)); // the parser needs the line break
  if (nkeyEnv !== null) return nkeyAuthenticator(bytes(secret(nkeyEnv)));
  if (tokenEnv !== null) return tokenAuthenticator(secret(tokenEnv));
  if (username === null || passwordEnv === null) return null;
  return usernamePasswordAuthenticator(username, secret(passwordEnv));
}
