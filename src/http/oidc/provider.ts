import { createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  None,
} from 'openid-client';
import type { OidcConfig } from '../../config/types.ts';

/** What a sign-in is begun with, and what its end is checked against. */
export interface SignInSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

export type Claims = Readonly<Record<string, unknown>>;

/** The OpenID provider: all of its protocol is here. */
export interface Provider {
  /** Where people sign in. Rejects when the provider cannot be reached. */
  signInUrl(secrets: SignInSecrets): Promise<URL>;
  /** What the provider says of who came back to `url`. Rejects when that is not to be believed, or cannot be asked. */
  claimsOf(url: URL, secrets: SignInSecrets): Promise<Claims>;
  /** Where people sign out of the provider itself; null when it has no such place. */
  signOutUrl(back: string): Promise<URL | null>;
}

/** Seconds for one request to the provider. */
const TIMEOUT_S = 5;

/** Milliseconds for which its documents are believed: addresses and keys move. */
const KNOWN_MS = 10 * 60_000;

/** Milliseconds between two looks for a key that is not known. */
const KEY_COOLDOWN_MS = 1_000;

interface Known {
  configuration: Configuration;
  keys: JWTVerifyGetKey;
  at: number;
}

/** @param callback where the provider leads back to */
export function createProvider(config: OidcConfig, callback: string): Provider {
  const isInsecure = new URL(config.issuer).protocol === 'http:'; // loopback only, as the configuration has it
  let known: Promise<Known> | null = null;

  async function discover(): Promise<Known> {
    const configuration = await discovery(
      new URL(config.issuer),
      config.clientId,
      config.clientSecret ?? undefined,
      config.clientSecret === null ? None() : undefined,
      { timeout: TIMEOUT_S, execute: isInsecure ? [allowInsecureRequests] : [] },
    );
    const { jwks_uri: jwks } = configuration.serverMetadata();
    if (jwks === undefined) throw new Error('the provider publishes no keys');
    const keys = createRemoteJWKSet(new URL(jwks), {
      cooldownDuration: KEY_COOLDOWN_MS,
      timeoutDuration: TIMEOUT_S * 1000,
    });
    return { configuration, keys, at: Date.now() };
  }

  /** Asked for anew now and then; where that fails, what is known goes on. */
  async function provider(): Promise<Known> {
    const before = await known?.catch(() => null);
    if (before && Date.now() - before.at < KNOWN_MS) return before;
    const asked = discover();
    known = asked.catch((error: unknown) => {
      if (before) return before;
      known = null;
      throw error;
    });
    return known;
  }

  return {
    async signInUrl({ state, nonce, verifier }) {
      const { configuration } = await provider();
      return buildAuthorizationUrl(configuration, {
        redirect_uri: callback,
        scope: ['openid', ...config.scopes].join(' '),
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
    },
    async claimsOf(url, { state, nonce, verifier }) {
      const { configuration, keys } = await provider();
      const tokens = await authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      // The library believes the connection; the signature holds also where a proxy stands in it.
      const { payload } = await jwtVerify(tokens.id_token!, keys, {
        issuer: configuration.serverMetadata().issuer,
        audience: config.clientId,
        requiredClaims: ['exp', 'sub', 'nonce'],
      });
      const isAllSaid = config.userClaim in payload && config.groupsClaim in payload;
      if (isAllSaid || configuration.serverMetadata().userinfo_endpoint === undefined) return payload;
      return { ...(await fetchUserInfo(configuration, tokens.access_token, payload.sub!)), ...payload };
    },
    async signOutUrl(back) {
      const { configuration } = await provider();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
      return buildEndSessionUrl(configuration, { post_logout_redirect_uri: back });
    },
  };
}
