import { readFileSync } from 'node:fs';
import {
  ClientCredentialsProvider,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
} from '@modelcontextprotocol/client';
import { McpConnectionError } from './errors.ts';
import type { McpOAuthSettings, RemoteTransportSettings } from './types.ts';

/**
 * The headers that go with each request to a server. A token in a file is read anew for each of them, so that one that is
 * rotated is used at once. @throws McpConnectionError when the file cannot be read
 */
export function headersFor(settings: RemoteTransportSettings): Headers {
  const headers = new Headers(settings.customHeaders ?? {});
  const { bearerToken, bearerTokenFile } = settings;
  const token = bearerTokenFile ? readSecret(bearerTokenFile, 'bearer token') : bearerToken;
  if (token) headers.set('authorization', `Bearer ${token}`);
  return headers;
}

/**
 * Gets tokens by OAuth client credentials, as who the settings say and from the issuer that they name: the server says
 * where tokens come from, and must not be able to send the credentials elsewhere. Files are read now.
 */
export function oauthProvider({ clientId, issuer, scope, ...proof }: McpOAuthSettings): OAuthClientProvider {
  const shared = {
    clientId,
    expectedIssuer: issuer,
    clientName: 'tarsy',
    ...(scope ? { scope } : {}),
  };
  if (proof.privateKeyFile) {
    const privateKey = readSecret(proof.privateKeyFile, 'private key');
    return new PrivateKeyJwtProvider({ ...shared, privateKey, algorithm: proof.algorithm ?? 'RS256' });
  }
  return new ClientCredentialsProvider({ ...shared, clientSecret: clientSecretOf(proof) });
}

/** Secrets of the settings, for taking them out of texts; a file that cannot be read has none. */
export function secretsOf({ bearerToken, bearerTokenFile, oauth }: RemoteTransportSettings): string[] {
  const files = [bearerTokenFile, oauth?.clientSecretFile].flatMap((file) => {
    try {
      return file ? [readSecret(file, '')] : [];
    } catch {
      return [];
    }
  });
  return [bearerToken, oauth?.clientSecret, ...files].filter((secret) => typeof secret === 'string');
}

function clientSecretOf({ clientSecret, clientSecretFile }: Partial<McpOAuthSettings>): string {
  return clientSecretFile ? readSecret(clientSecretFile, 'client secret') : (clientSecret ?? '');
}

/** Mounted secrets are small and local: reading them takes microseconds. */
function readSecret(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new McpConnectionError(`the file of its ${what} cannot be read${code}`, { cause: error });
  }
}
