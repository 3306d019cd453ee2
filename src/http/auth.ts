import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import { roleOf } from '../access/roles.ts';
import { type Viewer, withRole } from '../access/viewer.ts';
import type { AccessConfig, AuthConfig } from '../config/types.ts';
import type { Refusal } from './guard.ts';
import { readIdentity } from './identity.ts';

/** Whom a request without a name is from. */
const ANONYMOUS = withRole({ name: 'api-client', email: null, groups: [] }, 'NONE', 'ADMIN');

/** Decides about every request but those for health, and knows whom it is from. */
export interface Auth {
  /** Null: the request may be served, and `viewerOf` knows it. */
  check(req: IncomingMessage): Refusal | null;
  /** Of a request that passed `check`; for as long as a WebSocket lives, that of its upgrade. */
  viewerOf(req: IncomingMessage): Viewer;
}

export function createAuth(config: AuthConfig, access: AccessConfig, logger: Logger): Auth {
  const isTrusted = addressMatcher(config.trustedProxies);
  const viewers = new WeakMap<IncomingMessage, Viewer>();
  const refuse = (req: IncomingMessage, why: string): Refusal => {
    logger.warn({ peer: req.socket.remoteAddress, why }, 'request without a user refused');
    return { status: 401, code: 'UNAUTHENTICATED', message: `Not authenticated: ${why}.` };
  };
  const checkProxied = (req: IncomingMessage): Refusal | null => {
    if (!isTrusted(req.socket.remoteAddress)) return refuse(req, 'the request came past the proxy');
    const claim = readIdentity(req, config.identityHeaders);
    if (claim.kind === 'nobody') return refuse(req, 'the proxy named no user');
    if (claim.kind === 'unusable') return refuse(req, claim.problem);
    viewers.set(req, withRole(claim.viewer, 'PROXY', roleOf(claim.viewer, access)));
    return null;
  };
  return {
    check(req) {
      if (config.mode === 'proxy') return checkProxied(req);
      // Whoever is let in without a proof may give any name: it is a label, and none is as good.
      const claim = isTrusted(req.socket.remoteAddress) ? readIdentity(req, config.identityHeaders) : null;
      viewers.set(req, claim?.kind === 'user' ? withRole(claim.viewer, 'NONE', 'ADMIN') : ANONYMOUS);
      return null;
    },
    viewerOf(req) {
      const viewer = viewers.get(req);
      if (viewer === undefined) throw new Error('a request reached the API unchecked');
      return viewer;
    },
  };
}

/** `none` on an address that others reach, without the operator having said so. */
class UnauthenticatedNetworkError extends Error {
  readonly code = 'UNAUTHENTICATED_NETWORK';
  constructor(host: string) {
    super(
      `HTTP_HOST is ${host}, which others can reach, and auth.mode is none: anyone could use TARSy. ` +
        'Put an authenticating proxy in front and set auth.mode: proxy, or say ' +
        'auth.allow_unauthenticated_network: true if that is meant.',
    );
    this.name = 'UnauthenticatedNetworkError';
  }
}

/** @throws UnauthenticatedNetworkError when `host` must not be listened on */
export function requireServable(config: AuthConfig, host: string): void {
  if (config.mode === 'proxy' || config.allowUnauthenticatedNetwork || isLoopback(host)) return;
  throw new UnauthenticatedNetworkError(host);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}

/** Whether an address is in one of the networks; IPv4 in IPv6 clothes counts as IPv4. */
function addressMatcher(networks: readonly string[]): (address: string | undefined) => boolean {
  const ranges = networks.map((network) => ipaddr.parseCIDR(network));
  return (text) => {
    if (text === undefined || !ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
  };
}
