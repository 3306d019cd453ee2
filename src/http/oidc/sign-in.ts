import type { IncomingMessage, ServerResponse } from 'node:http';
import { AuthorizationResponseError, randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import type { Logger } from 'pino';
import type { Identity } from '../../access/viewer.ts';
import type { AccessConfig, OidcConfig } from '../../config/types.ts';
import { refuse } from '../errors.ts';
import type { Refusal } from '../request-checks.ts';
import { createCookie, MAX_COOKIE_BYTES } from './cookies.ts';
import { identityOf, UnusableClaimsError } from './identity.ts';
import { STYLE_PATH, sendNotice, sendStyle } from './notice.ts';
import { createProvider, type SignInSecrets } from './provider.ts';
import { createSeals } from './seal.ts';

/** Paths of our own; both are the dashboard's as well. */
const CALLBACK_PATH = '/auth/callback';
const SIGN_OUT_PATH = '/auth/sign-out';

/** Milliseconds that somebody may take to sign in at the provider. */
const SIGN_IN_MS = 10 * 60_000;

/** Characters of an address that is come back to. */
const MAX_RETURN_LENGTH = 1500;

export interface SignInDeps {
  oidc: OidcConfig;
  access: AccessConfig;
  /** 32 bytes, the same in all processes. */
  key: Buffer;
  /** Base of the dashboard's address; no trailing slash. */
  dashboardUrl: string;
  /** Whether a page may have things done in the name of its user. */
  checkOrigin: (req: IncomingMessage) => Refusal | null;
  logger: Logger;
}

/** Opens the sign-in of a configuration for a server. */
export type OpenSignIn = (server: Omit<SignInDeps, 'oidc' | 'key'>) => SignIn;

/** Signing in with an OpenID provider: code flow with PKCE, and a sealed cookie after it. */
export interface SignIn {
  /** Who sent the request, and until when they are signed in; null = nobody who is. */
  identityOf(req: IncomingMessage): Promise<{ identity: Identity; until: Date } | null>;
  /** Leads a page's reader to the provider, and after that back to the page. */
  begin(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Answers what is asked of the sign-in itself; false = the path is none of its own. */
  answer(req: IncomingMessage, res: ServerResponse, path: string): Promise<boolean>;
}

/** What a browser holds while its reader signs in. */
interface Begun extends SignInSecrets {
  /** Path to come back to. */
  to: string;
}

export function createSignIn(deps: SignInDeps): SignIn {
  const { oidc, access, key, dashboardUrl, logger } = deps;
  const home = new URL(dashboardUrl);
  const isSecure = home.protocol === 'https:';
  const provider = createProvider(oidc, `${dashboardUrl}${CALLBACK_PATH}`);
  const signedIn = createCookie('tarsy', isSecure);
  const begun = createCookie('tarsy-sign-in', isSecure);
  // Who signed in with another provider has not signed in with this one.
  const identities = createSeals<Identity>(key, `sign-in of ${oidc.issuer} ${oidc.clientId}`);
  const beginnings = createSeals<Begun>(key, `sign-in begun with ${oidc.issuer} ${oidc.clientId}`);

  async function begin(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const to = returnPath(req.url ?? '/');
    // The cookie must be where the provider leads back to.
    if (req.headers.host !== home.host) return redirect(res, `${home.origin}${to}`);
    const secrets = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    let url: URL;
    try {
      url = await provider.signInUrl(secrets);
    } catch (error) {
      logger.error({ err: error }, 'the OpenID provider cannot be reached');
      return sendNotice(res, 503, UNREACHABLE);
    }
    begun.write(res, await beginnings.seal({ ...secrets, to }, SIGN_IN_MS), SIGN_IN_MS / 1000);
    redirect(res, url.href);
  }

  async function end(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const held = begun.read(req);
    begun.write(res, '', 0); // a beginning has one end
    const opened = held === null ? null : await beginnings.open(held);
    if (opened === null) return sendNotice(res, 400, NOT_BEGUN);
    const { to, ...secrets } = opened.value;
    try {
      const { search } = new URL(req.url ?? '', home);
      const claims = await provider.claimsOf(new URL(`${dashboardUrl}${CALLBACK_PATH}${search}`), secrets);
      const identity = identityOf(claims, oidc, access);
      const sealed = await identities.seal(identity, oidc.sessionLifetimeMs);
      if (sealed.length > MAX_COOKIE_BYTES - 200) throw new UnusableClaimsError('you are in too many groups');
      signedIn.write(res, sealed, Math.floor(oidc.sessionLifetimeMs / 1000));
      redirect(res, to);
    } catch (error) {
      refuseSignIn(res, error);
    }
  }

  function refuseSignIn(res: ServerResponse, error: unknown): void {
    // Never the request's address, in which the code is.
    logger.warn({ err: error }, 'a sign-in failed');
    const { status, text } = noticeOf(error);
    sendNotice(res, status, text);
  }

  async function signOut(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== 'POST') {
      res.setHeader('Allow', 'POST');
      return refuse(res, 405, 'METHOD_NOT_ALLOWED', 'Sign out with POST.');
    }
    const refusal = deps.checkOrigin(req);
    if (refusal) return refuse(res, refusal.status, refusal.code, refusal.message);
    signedIn.write(res, '', 0);
    const url = await provider.signOutUrl(dashboardUrl).catch(() => null); // here they are signed out all the same
    res.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    res.end(JSON.stringify({ location: url?.href ?? '/' }));
  }

  return {
    async identityOf(req) {
      const held = signedIn.read(req);
      const opened = held === null ? null : await identities.open(held);
      return opened === null ? null : { identity: opened.value, until: opened.until };
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

const UNREACHABLE = 'Where you sign in cannot be reached. Try again in a moment.';
const NOT_BEGUN = 'This sign-in was begun in another browser, too long ago, or used before.';

/** What somebody is told whose sign-in failed. */
function noticeOf(error: unknown): { status: number; text: string } {
  if (error instanceof UnusableClaimsError)
    return { status: 403, text: `You cannot be let in: ${error.message}.` };
  if (error instanceof AuthorizationResponseError)
    return { status: 403, text: 'The sign-in was refused or given up at the provider.' };
  if (isUnreachable(error)) return { status: 503, text: UNREACHABLE };
  return { status: 401, text: 'What the provider answered cannot be believed.' };
}

/** A path of ours, whatever the address says. */
function returnPath(address: string): string {
  const isPath = /^\/(?![/\\])[\x21-\x7e]*$/.test(address) && !address.startsWith('/auth/');
  return isPath && address.length <= MAX_RETURN_LENGTH ? address : '/';
}

function redirect(res: ServerResponse, location: string): void {
  res.writeHead(302, { Location: location, 'Cache-Control': 'no-store' }).end();
}

/** Failures of connections and of the provider's own service, which pass. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TimeoutError' || error.name === 'JWKSTimeout') return true;
  if ('status' in error && typeof error.status === 'number' && error.status >= 500) return true;
  return (error instanceof TypeError && error.message === 'fetch failed') || isUnreachable(error.cause);
}
