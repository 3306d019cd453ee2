import type { IncomingMessage, ServerResponse } from 'node:http';
import { AuthorizationResponseError, randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import type { Logger } from 'pino';
import type { EndedAccess } from '../../access/ended-access.ts';
import type { Identity } from '../../access/viewer.ts';
import type { AccessConfig, OidcConfig } from '../../config/types.ts';
import { refuse } from '../errors.ts';
import type { Refusal } from '../request-checks.ts';
import { subPathOf } from '../sub-path.ts';
import { createBegunCookies } from './begun-cookies.ts';
import { identityOf, UnusableClaimsError } from './identity.ts';
import { STYLE_PATH, sendNotice, sendStyle } from './notice.ts';
import { createProvider } from './provider.ts';
import { cookieName, createSealedCookie } from './sealed-cookie.ts';

/** Paths that are also written elsewhere: in the description of `auth.oidc` and in the dashboard. */
const CALLBACK_PATH = '/auth/callback';
const SIGN_OUT_PATH = '/auth/sign-out';

const MAX_RETURN_LENGTH = 1500;

export interface SignInDeps {
  oidc: OidcConfig;
  access: AccessConfig;
  /** Installation key (32 bytes), equal in all processes, so that each can read the others' cookies. */
  key: Buffer;
  dashboardUrl: string;
  /** Refuses requests that another site's page causes. */
  checkOrigin: (req: IncomingMessage) => Refusal | null;
  endedAccess: Pick<EndedAccess, 'known' | 'isEnded'>;
  logger: Logger;
}

export type OpenSignIn = (server: Omit<SignInDeps, 'oidc' | 'key'>) => SignIn;

/** Signs users in with an OpenID provider (code flow with PKCE) and keeps their identity in an encrypted cookie. */
export interface SignIn {
  identityOf(req: IncomingMessage): Promise<{ identity: Identity; since: Date; until: Date } | null>;
  /** Redirects to the provider, which later redirects back to the requested page. */
  begin(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Answers requests to the sign-in's own paths. Returns false for any other path. */
  answer(req: IncomingMessage, res: ServerResponse, path: string): Promise<boolean>;
}

export function createSignIn(deps: SignInDeps): SignIn {
  const { oidc, access, key, dashboardUrl, logger } = deps;
  const home = new URL(dashboardUrl);
  const subPath = subPathOf(dashboardUrl);
  const isSecure = home.protocol === 'https:';
  const provider = createProvider(oidc, `${dashboardUrl}${CALLBACK_PATH}`);
  // Part of the cookies' encryption keys, so that cookies of another provider or client are invalid.
  const client = `${oidc.issuer} ${oidc.clientId}`;
  const identityCookie = createSealedCookie<Identity>({
    ...{ name: cookieName('tarsy', subPath), isSecure, key },
    purpose: `sign-in of ${client}`,
  });
  const begunCookies = createBegunCookies({
    ...{ subPath, isSecure, key },
    purpose: `sign-in begun with ${client}`,
  });

  async function begin(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const to = returnPath(req.url ?? '/');
    // The cookie must be set on the host to which the provider redirects. Some proxies add the usual port to its name.
    if (URL.parse(`${home.protocol}//${req.headers.host}`)?.host !== home.host)
      return redirect(res, `${dashboardUrl}${to}`);
    const secrets = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    let url: URL;
    try {
      url = await provider.signInUrl(secrets);
    } catch (error) {
      logger.error({ err: error }, 'OpenID provider unreachable');
      return sendNotice(res, { status: 503, text: UNREACHABLE, subPath });
    }
    await begunCookies.write(req, res, { ...secrets, to });
    redirect(res, url.href);
  }

  async function end(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { search, searchParams } = new URL(req.url ?? '', home);
    const begun = await begunCookies.take(req, res, searchParams.get('state') ?? '');
    if (begun === null) return sendNotice(res, { status: 400, text: NOT_BEGUN, subPath });
    const { to, ...secrets } = begun;
    try {
      const claims = await provider.claimsOf(new URL(`${dashboardUrl}${CALLBACK_PATH}${search}`), secrets);
      const identity = identityOf(claims, oidc, access);
      await deps.endedAccess.known();
      if (deps.endedAccess.isEnded(identity, null))
        throw new UnusableClaimsError('your access to TARSy was ended');
      if (!(await identityCookie.write(res, identity, oidc.sessionLifetimeMs)))
        throw new UnusableClaimsError('you are in too many groups');
      redirect(res, `${subPath}${to}`);
    } catch (error) {
      // Never log the request's address, because it contains the authorization code.
      logger.warn({ err: error }, 'sign-in failed');
      sendNotice(res, { ...noticeOf(error), subPath });
    }
  }

  async function signOut(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== 'POST') {
      res.setHeader('Allow', 'POST');
      return refuse(res, 405, 'METHOD_NOT_ALLOWED', 'Sign out with POST.');
    }
    const refusal = deps.checkOrigin(req);
    if (refusal) return refuse(res, refusal.status, refusal.code, refusal.message);
    identityCookie.remove(res);
    const url = await provider.signOutUrl(dashboardUrl).catch(() => null); // the user is signed out here even if the provider fails
    res.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    res.end(JSON.stringify({ location: url?.href ?? `${subPath}/` }));
  }

  return {
    async identityOf(req) {
      const opened = await identityCookie.read(req);
      return opened && { identity: opened.value, since: opened.since, until: opened.until };
    },
    begin,
    async answer(req, res, path) {
      if (path === CALLBACK_PATH && req.method === 'GET') await end(req, res);
      else if (path === SIGN_OUT_PATH) await signOut(req, res);
      else if (path === STYLE_PATH) sendStyle(res);
      else return false;
      return true;
    },
  };
}

const UNREACHABLE = 'The sign-in provider is unavailable. Try again in a moment.';
const NOT_BEGUN = 'This sign-in has expired, was already used, or began in another browser. Sign in again.';

function noticeOf(error: unknown): { status: number; text: string } {
  if (error instanceof UnusableClaimsError)
    return { status: 403, text: `Sign-in refused: ${error.message}.` };
  if (error instanceof AuthorizationResponseError)
    return { status: 403, text: 'The provider refused the sign-in, or it was cancelled there. Try again.' };
  if (isUnreachable(error)) return { status: 503, text: UNREACHABLE };
  return { status: 401, text: 'The answer of the provider failed verification. Try again.' };
}

/** Returns the address if it is a safe path of this server, else `/`. */
function returnPath(address: string): string {
  const isPath = /^\/(?![/\\])[\x21-\x7e]*$/.test(address) && !address.startsWith('/auth/');
  return isPath && address.length <= MAX_RETURN_LENGTH ? address : '/';
}

function redirect(res: ServerResponse, location: string): void {
  res.writeHead(302, { Location: location, 'Cache-Control': 'no-store' }).end();
}

/** True for temporary failures: connection errors, timeouts and server errors of the provider. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TimeoutError' || error.name === 'JWKSTimeout') return true;
  if ('status' in error && typeof error.status === 'number' && error.status >= 500) return true;
  return (error instanceof TypeError && error.message === 'fetch failed') || isUnreachable(error.cause);
}
