import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import { viewerOfToken, viewerOfUser } from '../access/create-viewer.ts';
import type { EndedAccess } from '../access/ended-access.ts';
import { roleOf, teamsOf } from '../access/roles.ts';
import { looksLikeToken } from '../access/token-form.ts';
import type { Tokens } from '../access/tokens.ts';
import type { Identity, Viewer } from '../access/viewer.ts';
import { createFailureLog } from '../common/periodic.ts';
import type { AccessConfig, AuthConfig } from '../config/types.ts';
import { isTransient } from '../db/transient.ts';
import { memoizeText } from './memoize-text.ts';
import type { SignIn } from './oidc/sign-in.ts';
import { problemOfUser, readIdentity } from './proxy-identity.ts';
import type { Refusal } from './request-checks.ts';

const ANONYMOUS = { name: 'api-client', email: null, groups: [] };

const NOT_NOW: Refusal = {
  status: 503,
  code: 'AUTH_UNAVAILABLE',
  message: 'The access cannot be checked now. Try again in a few seconds.',
};

/**
 * Authenticates viewers and API tokens. Health checks, deliveries and sign-in requests are served without this check.
 */
export interface Auth {
  /** Returns `null` if the request may be served, else the refusal. Rejects if a token lookup fails permanently. */
  check(req: IncomingMessage): Promise<Refusal | null>;
  /** Returns the viewer of a request that passed `check`; for a WebSocket, of its upgrade request. */
  viewerOf(req: IncomingMessage): Viewer;
}

export function createAuth(deps: {
  auth: AuthConfig;
  access: AccessConfig;
  tokens: Pick<Tokens, 'find'>;
  /** `null` unless `auth.mode` is `oidc`. */
  signIn: Pick<SignIn, 'identityOf'> | null;
  endedAccess: Pick<EndedAccess, 'known' | 'isEnded'>;
  logger: Logger;
}): Auth {
  const { auth: config, access, tokens, signIn, endedAccess, logger } = deps;
  const isTrusted = addressMatcher(config.trustedProxies);
  const failureLog = createFailureLog('check access', logger);
  const viewers = new WeakMap<IncomingMessage, Viewer>();
  const refuse = (req: IncomingMessage, why: string): Refusal => {
    logger.warn({ peer: req.socket.remoteAddress, why }, 'unauthenticated request refused');
    return { status: 401, code: 'UNAUTHENTICATED', message: `Not authenticated: ${why}.` };
  };
  const accept = (req: IncomingMessage, viewer: Viewer): null => {
    viewers.set(req, viewer);
    return null;
  };
  const addressOf = (req: IncomingMessage) => clientAddress(req, isTrusted);
  const viewerOfIdentity = (
    req: IncomingMessage,
    identity: Identity,
    how: { via: Viewer['via']; until?: Date; since: Date },
  ) => {
    const role = roleOf(identity, access);
    const teams = teamsOf(identity, role, access);
    return viewerOfUser(identity, { ...how, role, teams, address: addressOf(req) }, access);
  };
  /** Returns the result of a look-up in the database; `UNKNOWN` while the database is unavailable. */
  const lookUp = async <T>(look: Promise<T>): Promise<T | 'UNKNOWN'> => {
    try {
      const found = await look;
      failureLog.succeeded();
      return found;
    } catch (error) {
      if (!isTransient(error)) throw error;
      failureLog.failed(error);
      return 'UNKNOWN';
    }
  };
  const checkToken = async (req: IncomingMessage, token: string): Promise<Refusal | null> => {
    const holder = await lookUp(tokens.find(token));
    if (holder === 'UNKNOWN') return NOT_NOW;
    if (holder === null) return refuse(req, 'there is no such token, or it was revoked or has expired');
    return accept(req, viewerOfToken(holder, access, addressOf(req)));
  };
  /** @param signedInAt `null` if the proxy decides how long a sign-in lasts */
  const checkEnded = async (
    req: IncomingMessage,
    identity: Identity,
    signedInAt: Date | null,
  ): Promise<Refusal | null> => {
    if ((await lookUp(endedAccess.known())) === 'UNKNOWN') return NOT_NOW;
    return endedAccess.isEnded(identity, signedInAt)
      ? refuse(req, 'the access of this user, or the sign-in, was ended')
      : null;
  };
  const checkProxied = async (req: IncomingMessage): Promise<Refusal | null> => {
    if (!isTrusted(req.socket.remoteAddress)) return refuse(req, 'the request bypassed the proxy');
    const claim = readIdentity(req, config.identityHeaders);
    if (claim.kind === 'none') return refuse(req, 'the proxy named no user');
    if (claim.kind === 'invalid') return refuse(req, claim.problem);
    return (
      (await checkEnded(req, claim.identity, null)) ??
      accept(req, viewerOfIdentity(req, claim.identity, { via: 'PROXY', since: new Date() }))
    );
  };
  const checkSignedIn = async (req: IncomingMessage): Promise<Refusal | null> => {
    const known = (await signIn?.identityOf(req)) ?? null;
    // Not logged, because every page load of a signed-out browser sends such a request.
    if (known === null || problemOfUser(known.identity.name) !== null)
      return { status: 401, code: 'UNAUTHENTICATED', message: 'Not authenticated: no user is signed in.' };
    const { identity, until, since } = known;
    return (
      (await checkEnded(req, identity, since)) ??
      accept(req, viewerOfIdentity(req, identity, { via: 'OIDC', until, since }))
    );
  };
  return {
    async check(req) {
      // An API token takes precedence over cookies and identity headers.
      const token = tokenOf(req);
      if (token !== null) return checkToken(req, token);
      if (config.mode === 'oidc') return checkSignedIn(req);
      if (config.mode === 'proxy') return checkProxied(req);
      // Without authentication every viewer is ADMIN, and the name that a proxy gives is only a label.
      const claim = isTrusted(req.socket.remoteAddress) ? readIdentity(req, config.identityHeaders) : null;
      const identity = claim?.kind === 'user' ? claim.identity : ANONYMOUS;
      const details = { via: 'NONE', role: 'ADMIN', teams: null, address: addressOf(req) } as const;
      return accept(req, viewerOfUser(identity, details, access));
    },
    viewerOf(req) {
      const viewer = viewers.get(req);
      if (viewer === undefined)
        throw new Error('A request reached the API without authentication: call auth.check first.');
      return viewer;
    },
  };
}

/** Returns the API token of a request, or `null`. Other bearer tokens belong to the proxy and are ignored. */
function tokenOf({ headers }: IncomingMessage): string | null {
  const given = /^\s*bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  return given !== undefined && looksLikeToken(given) ? given : null;
}

/** Returns the client's address. Uses `X-Forwarded-For` only as far back as trusted proxies wrote the entries. */
function clientAddress(req: IncomingMessage, isTrusted: (address: string) => boolean): string | null {
  const told = String(req.headers['x-forwarded-for'] ?? '').match(/[^\s,]+/g) ?? [];
  const way = [...told.filter(ipaddr.isValid), req.socket.remoteAddress];
  const client = way.findLast((address) => address !== undefined && !isTrusted(address)) ?? way[0];
  return client === undefined ? null : normalizeAddress(client);
}

const normalizeAddress = memoizeText((address) => ipaddr.process(address).toString());

/** Thrown if `auth.mode` is `none`, the address is not loopback, and the operator has not allowed this. */
class UnauthenticatedNetworkError extends Error {
  readonly code = 'UNAUTHENTICATED_NETWORK';
  constructor(host: string) {
    super(
      `HTTP_HOST is ${host}, which other machines can reach, and auth.mode is none, so every client has full access. ` +
        'Set auth.mode: proxy behind an authenticating proxy, set auth.mode: oidc, or accept this with ' +
        'auth.allow_unauthenticated_network: true.',
    );
    this.name = 'UnauthenticatedNetworkError';
  }
}

export function requireServable(config: AuthConfig, host: string): void {
  if (config.mode !== 'none' || config.allowUnauthenticatedNetwork || isLoopback(host)) return;
  throw new UnauthenticatedNetworkError(host);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}

/** Returns a function that is true for an address in one of the networks. IPv4-mapped IPv6 addresses count as IPv4. */
function addressMatcher(networks: readonly string[]): (address: string | undefined) => boolean {
  const ranges = networks.map((network) => ipaddr.parseCIDR(network));
  const isWithin = memoizeText((text) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
  });
  return (text) => text !== undefined && isWithin(text);
}
