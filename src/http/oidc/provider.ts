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

export interface SignInSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

export type Claims = Readonly<Record<string, unknown>>;

const TIMEOUT_S = 5;

/** The time (ms) after which the provider's metadata is fetched again, because addresses and keys change. */
const KNOWN_MS = 10 * 60_000;

const KEY_COOLDOWN_MS = 1_000;

/** Difference (s) between the clocks of provider and server that is accepted, the same as that of openid-client. */
const CLOCK_TOLERANCE_S = 30;

interface Known {
  configuration: Configuration;
  keys: JWTVerifyGetKey;
  at: number;
}

/** Creates the client that signs users in and out at the OpenID provider. */
export function createProvider(config: OidcConfig, callback: string) {
  const isInsecure = new URL(config.issuer).protocol === 'http:'; // the configuration allows http on loopback only
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

  /** Returns the provider's metadata, fetched again after `KNOWN_MS`. Returns the previous metadata if that fails. */
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
    /** Returns the address at which users sign in. Rejects when the provider is unreachable. */
    async signInUrl({ state, nonce, verifier }: SignInSecrets): Promise<URL> {
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
    /** Returns the verified claims of the user who returned to `url`. Rejects if they are invalid or unverifiable. */
    async claimsOf(url: URL, { state, nonce, verifier }: SignInSecrets): Promise<Claims> {
      const { configuration, keys } = await provider();
      const tokens = await authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      // Checks the signature too, because openid-client trusts TLS alone, which an intercepting proxy can break.
      const { payload } = await jwtVerify(tokens.id_token!, keys, {
        issuer: configuration.serverMetadata().issuer,
        audience: config.clientId,
        requiredClaims: ['exp', 'sub', 'nonce'],
        clockTolerance: CLOCK_TOLERANCE_S,
      });
      const isAllSaid = config.userClaim in payload && config.groupsClaim in payload;
      if (isAllSaid || configuration.serverMetadata().userinfo_endpoint === undefined) return payload;
      return { ...(await fetchUserInfo(configuration, tokens.access_token, payload.sub!)), ...payload };
    },
    async signOutUrl(back: string): Promise<URL | null> {
      const { configuration } = await provider();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
      return buildEndSessionUrl(configuration, { post_logout_redirect_uri: back });
    },
  };
}
