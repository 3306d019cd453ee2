import type { IncomingMessage, ServerResponse } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import { memoizeText } from './memoize-text.ts';
import type { Refusal } from './request-checks.ts';

const FOREIGN_HOST: Refusal = {
  status: 403,
  code: 'HOST_NOT_ALLOWED',
  message:
    'This host name is not allowed. Use loopback, an IP address or the host of system.dashboard_url, or add the name to system.allowed_hosts.',
};

const FOREIGN_ORIGIN: Refusal = {
  status: 403,
  code: 'ORIGIN_NOT_ALLOWED',
  message:
    'Pages of this origin may not use this API. Add the origin to system.allowed_origins to allow them.',
};

const SHOWN_LENGTH = 200;
const MAX_AGE_SECONDS = 3600;

/** Returns a case-insensitive matcher of the patterns; `*` matches one or more characters of a host name, also dots. */
function createMatcher(patterns: readonly string[]): (text: string) => boolean {
  const expressions = patterns.map(
    (pattern) => new RegExp(`^${pattern.split('*').map(RegExp.escape).join('[a-z0-9.-]+')}$`, 'i'),
  );
  return (text) => expressions.some((expression) => expression.test(text));
}

/**
 * Creates the check of the Host header. In DNS rebinding, a foreign site's name resolves to this server's address, so
 * that browsers see one origin. IP addresses are allowed, because no site can rebind them.
 * @param allowed names in addition to loopback, without ports; `*` matches part of a name
 */
export function createHostCheck(allowed: readonly string[], logger: Logger) {
  const matches = createMatcher(['localhost', ...allowed]);
  const isOurs = memoizeText((host) => {
    const name = URL.parse(`http://${host}`)?.hostname;
    return name !== undefined && (matches(name) || ipaddr.isValid(name.replace(/^\[|\]$/g, '')));
  });
  return (req: IncomingMessage): Refusal | null => {
    const { host } = req.headers;
    if (isOurs(host ?? 'localhost')) return null; // HTTP/1.0 clients may send no Host header; browsers always do
    const peer = req.socket.remoteAddress;
    logger.warn({ peer, host: host?.slice(0, SHOWN_LENGTH) }, 'request for a foreign host refused');
    return FOREIGN_HOST;
  };
}

/** True if the request has no Origin header, or if its origin may send requests with the user's cookies. */
export type OriginCheck = (req: IncomingMessage) => boolean;

/**
 * Creates the check of the Origin header, because browsers let any page send requests with the user's cookies. Trusts
 * the allowed origins (`*` matches part of a host name) and pages of this server's own host.
 */
export function createOriginCheck(allowed: readonly string[]): OriginCheck {
  const isAllowed = createMatcher(allowed);
  return ({ headers: { origin, host } }) => {
    if (origin === undefined || isAllowed(origin)) return true;
    return URL.canParse(origin) && new URL(origin).host === host;
  };
}

/** Answers CORS preflights of trusted origins and refuses cross-origin requests of all others. */
export function createCors(isTrusted: OriginCheck) {
  return {
    /**
     * Sets the CORS headers for a trusted origin. Returns true if the request was a preflight, which is then answered.
     */
    answer(req: IncomingMessage, res: ServerResponse): boolean {
      res.setHeader('Vary', 'Origin');
      if (req.headers.origin === undefined || !isTrusted(req)) return false;
      res.setHeader('Access-Control-Allow-Origin', req.headers.origin);
      res.setHeader('Access-Control-Allow-Credentials', 'true');
      res.setHeader('Access-Control-Expose-Headers', 'X-Request-Id');
      if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined)
        return false;
      res.setHeader('Access-Control-Allow-Methods', 'GET, POST');
      res.setHeader('Access-Control-Allow-Headers', 'Content-Type, Last-Event-ID, X-Request-Id');
      res.setHeader('Access-Control-Max-Age', String(MAX_AGE_SECONDS));
      res.writeHead(204).end();
      return true;
    },
    /**
     * Refuses requests that other sites' pages cause, because they may carry the user's cookies. Links may be followed.
     */
    check(req: IncomingMessage): Refusal | null {
      if (!isTrusted(req)) return FOREIGN_ORIGIN;
      const site = req.headers['sec-fetch-site'] ?? 'none';
      if (site === 'none' || site === 'same-origin' || req.headers.origin !== undefined) return null;
      return req.headers['sec-fetch-mode'] === 'navigate' ? null : FOREIGN_ORIGIN;
    },
  };
}
