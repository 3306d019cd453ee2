import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { decodeJwt, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import type { Page } from 'playwright-core';

export const CLIENT = { id: 'tarsy', secret: 'the-secret-of-this-client-at-the-provider' };

/** Claims that the provider stores for each user, by sign-in name. */
export type People = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A real OpenID provider. */
export interface OpenIdProvider {
  issuer: string;
  /** Signs with a new key from now on, and publishes that key only. */
  rotateKeys(): Promise<void>;
  /** Stops answering, or answers again if `isAway` is `false`. */
  goAway(isAway: boolean): void;
  /**
   * Changes the claims of the provider's tokens and signs them with its own or another key. `null` stops
   * changing them.
   */
  forge(change: ((claims: JWTPayload) => JWTPayload) | null, key?: 'own' | 'another'): void;
  /** The number of token requests so far. */
  tokenRequests(): number;
  close(): Promise<void>;
}

/**
 * Starts the provider.
 * @param home base of the allowed redirect addresses
 */
export async function startOpenIdProvider(
  port: number,
  home: string,
  people: People,
): Promise<OpenIdProvider> {
  const issuer = `http://127.0.0.1:${port}`;
  let key = await makeKey();
  let handle = providerOf(issuer, home, people, key);
  let away = false;
  let forging: { change: (claims: JWTPayload) => JWTPayload; key: 'own' | 'another' } | null = null;
  let asked = 0;

  async function forged(body: string): Promise<string> {
    const answer = JSON.parse(body) as { id_token: string };
    const signed = forging!.key === 'own' ? key : { ...(await makeKey()), kid: key.kid! };
    const claims = forging!.change(decodeJwt(answer.id_token));
    const token = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.kid! });
    return JSON.stringify({ ...answer, id_token: await token.sign(signed) });
  }

  function forgeAnswer(res: ServerResponse): void {
    const end = res.end.bind(res) as (body: unknown) => ServerResponse;
    res.end = ((body: Buffer | string) => {
      void forged(String(body)).then((text) => {
        res.setHeader('content-length', Buffer.byteLength(text));
        end(text);
      });
      return res;
    }) as typeof res.end;
  }

  const server = createServer((req, res) => {
    if (away) return void req.socket.destroy();
    if (req.url === '/token') {
      asked += 1;
      if (forging !== null) forgeAnswer(res);
    }
    handle(req, res);
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    issuer,
    async rotateKeys() {
      key = await makeKey();
      handle = providerOf(issuer, home, people, key);
    },
    goAway(isAway) {
      away = isAway;
      if (isAway) server.closeAllConnections();
    },
    forge(change, by = 'own') {
      forging = change && { change, key: by };
    },
    tokenRequests: () => asked,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

type Handle = (req: IncomingMessage, res: ServerResponse) => void;

function providerOf(issuer: string, home: string, people: People, key: JWK): Handle {
  const configuration: Configuration = {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${home}/auth/callback`],
        post_logout_redirect_uris: [home],
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'email', 'groups'],
    findAccount: (_ctx, sub) =>
      people[sub] && { accountId: sub, claims: async () => ({ sub, ...people[sub] }) },
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    cookies: { keys: ['a-key-for-the-cookies-of-tests'] },
    jwks: { keys: [key as never] },
  };
  return new Provider(issuer, configuration).callback();
}

async function makeKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: 'RS256', use: 'sig' };
}

/** Fills in the provider's sign-in pages. */
export async function signInAt(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}
