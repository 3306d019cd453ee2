import { readFileSync } from 'node:fs';
import {
  ClientCredentialsProvider,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
} from '@modelcontextprotocol/client';
import { McpConnectionError } from './errors.ts';
import type { McpOAuthSettings, RemoteTransportSettings } from './types.ts';

/** Returns a request's headers. Reads a token file each time, because it may be rotated. @throws McpConnectionError */
export function requestHeaders(settings: RemoteTransportSettings): Headers {
  const headers = new Headers(settings.customHeaders ?? {});
  const { bearerToken, bearerTokenFile } = settings;
  const token = bearerTokenFile ? readSecret(bearerTokenFile, 'bearer token') : bearerToken;
  if (token) headers.set('authorization', `Bearer ${token}`);
  return headers;
}

/**
 * Creates the provider of OAuth client credentials. Accepts only the configured issuer, because a server could
 * otherwise choose who gets our credentials. @throws McpConnectionError if a file cannot be read
 */
export function createOAuthProvider({
  clientId,
  issuer,
  scope,
  ...proof
}: McpOAuthSettings): OAuthClientProvider {
  const shared = { clientId, expectedIssuer: issuer, clientName: 'tarsy', ...(scope && { scope }) };
  if (proof.privateKeyFile) {
    const privateKey = readSecret(proof.privateKeyFile, 'private key');
    return new PrivateKeyJwtProvider({ ...shared, privateKey, algorithm: proof.algorithm ?? 'RS256' });
  }
  const { clientSecret, clientSecretFile } = proof;
  const secret = clientSecretFile ? readSecret(clientSecretFile, 'client secret') : (clientSecret ?? '');
  return new ClientCredentialsProvider({ ...shared, clientSecret: secret });
}

/** Returns the secrets of the settings, to mask them in texts. Skips unreadable files. */
export function configuredSecrets({
  bearerToken,
  bearerTokenFile,
  oauth,
}: RemoteTransportSettings): string[] {
  const files = [bearerTokenFile, oauth?.clientSecretFile].flatMap((file) => {
    try {
      return file ? [readSecret(file, '')] : [];
    } catch {
      return [];
    }
  });
  return [bearerToken, oauth?.clientSecret, ...files].filter((secret) => typeof secret === 'string');
}

function readSecret(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new McpConnectionError(`the file of the ${what} cannot be read${code}`, {
      cause: error,
      neverSent: true,
    });
  }
}
