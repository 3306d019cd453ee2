import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import { viewerOfToken, viewerOfUser } from '../access/create-viewer.ts';
import { roleOf, teamsOf } from '../access/roles.ts';
import { looksLikeToken } from '../access/token-form.ts';
import type { Tokens } from '../access/tokens.ts';
import type { Identity, Viewer } from '../access/viewer.ts';
import type { AccessConfig, AuthConfig } from '../config/types.ts';
import { isTransient } from '../db/transient.ts';
import { createTrouble } from '../engine/trouble.ts';
import { remembering } from './memoize-text.ts';
import type { SignIn } from './oidc/sign-in.ts';
import { readIdentity } from './proxy-identity.ts';
import type { Refusal } from './request-checks.ts';

/** Whom a request without a name is from. */
const ANONYMOUS = { name: 'api-client', email: null, groups: [] };

const NOT_NOW: Refusal = {
  status: 503,
  code: 'AUTH_UNAVAILABLE',
  message: 'The token cannot be looked up now. Try again in a few seconds.',
};

/** Decides about every request but those for health, and knows whom it is from. */
export interface Auth {
  /** Null: the request may be served, and `viewerOf` knows it. Rejects when a token cannot be looked up. */
  check(req: IncomingMessage): Promise<Refusal | null>;
  /** Of a request that passed `check`; for as long as a WebSocket lives, that of its upgrade. */
  viewerOf(req: IncomingMessage): Viewer;
}

export function createAuth(deps: {
  auth: AuthConfig;
  access: AccessConfig;
  tokens: Pick<Tokens, 'find'>;
  /** Null = nobody signs in here. */
  signIn: Pick<SignIn, 'identityOf'> | null;
  logger: Logger;
}): Auth {
  const { auth: config, access, tokens, signIn, logger } = deps;
  const isTrusted = addressMatcher(config.trustedProxies);
  const trouble = createTrouble('Looking a token up', logger);
  const viewers = new WeakMap<IncomingMessage, Viewer>();
  const refuse = (req: IncomingMessage, why: string): Refusal => {
    logger.warn({ peer: req.socket.remoteAddress, why }, 'request without a user refused');
    return { status: 401, code: 'UNAUTHENTICATED', message: `Not authenticated: ${why}.` };
  };
  const accept = (req: IncomingMessage, viewer: Viewer): null => {
    viewers.set(req, viewer);
    return null;
  };
  const addressOf = (req: IncomingMessage) => clientAddress(req, isTrusted);
  const named = (req: IncomingMessage, identity: Identity, how: { via: Viewer['via']; until?: Date }) => {
    const role = roleOf(identity, access);
    const teams = teamsOf(identity, role, access);
    return viewerOfUser(identity, { ...how, role, teams, address: addressOf(req) }, access);
  };
  const checkToken = async (req: IncomingMessage, token: string): Promise<Refusal | null> => {
    const held = await tokens.find(token).catch((error: unknown) => {
      if (!isTransient(error)) throw error;
      trouble.failed(error);
      return 'UNKNOWN' as const;
    });
    if (held === 'UNKNOWN') return NOT_NOW;
    trouble.worked();
    if (held === null) return refuse(req, 'there is no such token, or it was revoked or has expired');
    return accept(req, viewerOfToken(held, access, addressOf(req)));
  };
  const checkProxied = (req: IncomingMessage): Refusal | null => {
    if (!isTrusted(req.socket.remoteAddress)) return refuse(req, 'the request came past the proxy');
    const claim = readIdentity(req, config.identityHeaders);
    if (claim.kind === 'nobody') return refuse(req, 'the proxy named no user');
    if (claim.kind === 'unusable') return refuse(req, claim.problem);
    return accept(req, named(req, claim.identity, { via: 'PROXY' }));
  };
  const checkSignedIn = async (req: IncomingMessage): Promise<Refusal | null> => {
    const known = (await signIn?.identityOf(req)) ?? null;
    // No warning: every page begins so.
    if (known === null)
      return { status: 401, code: 'UNAUTHENTICATED', message: 'Not authenticated: nobody is signed in.' };
    const { identity, until } = known;
    return accept(req, named(req, identity, { via: 'OIDC', until }));
  };
  return {
    async check(req) {
      // Whoever shows a token is what it says, whatever else the request says.
      const token = tokenOf(req);
      if (token !== null) return checkToken(req, token);
      if (config.mode === 'oidc') return checkSignedIn(req);
      if (config.mode === 'proxy') return checkProxied(req);
      // Whoever is let in without a proof may give any name: it is a label, and none is as good.
      const claim = isTrusted(req.socket.remoteAddress) ? readIdentity(req, config.identityHeaders) : null;
      const identity = claim?.kind === 'user' ? claim.identity : ANONYMOUS;
      return accept(
        req,
        viewerOfUser(identity, { via: 'NONE', role: 'ADMIN', teams: null, address: addressOf(req) }, access),
      );
    },
    viewerOf(req) {
      const viewer = viewers.get(req);
      if (viewer === undefined) throw new Error('a request reached the API unchecked');
      return viewer;
    },
  };
}

/** A token of ours. What a proxy passes on in the same header is no business of ours. */
function tokenOf({ headers }: IncomingMessage): string | null {
  const given = /^\s*bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  return given !== undefined && looksLikeToken(given) ? given : null;
}

/** Where a request came from, as far as proxies tell that are believed: a client can put anything before what they wrote. */
function clientAddress(req: IncomingMessage, isTrusted: (address: string) => boolean): string | null {
  const told = String(req.headers['x-forwarded-for'] ?? '').match(/[^\s,]+/g) ?? [];
  const way = [...told.filter(ipaddr.isValid), req.socket.remoteAddress];
  const client = way.findLast((address) => address !== undefined && !isTrusted(address)) ?? way[0];
  return client === undefined ? null : written(client);
}

/** An address as it is usually written. */
const written = remembering((address) => ipaddr.process(address).toString());

/** `none` on an address that others reach, without the operator having said so. */
class UnauthenticatedNetworkError extends Error {
  readonly code = 'UNAUTHENTICATED_NETWORK';
  constructor(host: string) {
    super(
      `HTTP_HOST is ${host}, which others can reach, and auth.mode is none: anyone could use TARSy. ` +
        'Put an authenticating proxy in front and set auth.mode: proxy, let people sign in with auth.mode: oidc, or say ' +
        'auth.allow_unauthenticated_network: true if that is meant.',
    );
    this.name = 'UnauthenticatedNetworkError';
  }
}

/** @throws UnauthenticatedNetworkError when `host` must not be listened on */
export function requireServable(config: AuthConfig, host: string): void {
  if (config.mode !== 'none' || config.allowUnauthenticatedNetwork || isLoopback(host)) return;
  throw new UnauthenticatedNetworkError(host);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}

/** Whether an address is in one of the networks; IPv4 in IPv6 clothes counts as IPv4. */
function addressMatcher(networks: readonly string[]): (address: string | undefined) => boolean {
  const ranges = networks.map((network) => ipaddr.parseCIDR(network));
  const isWithin = remembering((text) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
  });
  return (text) => text !== undefined && isWithin(text);
}
