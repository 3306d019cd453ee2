import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import { memoizeText } from './memoize-text.ts';
import { createMatcher } from './patterns.ts';
import type { Refusal } from './request-checks.ts';

const FOREIGN_HOST: Refusal = {
  status: 403,
  code: 'HOST_NOT_ALLOWED',
  message:
    'This server answers to its own names only: loopback, an IP address, the host of system.dashboard_url, and those of system.allowed_hosts.',
};

const SHOWN_LENGTH = 200;

/**
 * Creates the check of the Host header against DNS rebinding: a page can resolve its own name to this server's
 * address and then has the same origin. IP addresses are safe, because they cannot be rebound. `allowed` has no ports;
 * `*` is a wildcard.
 */
export function createHostCheck(allowed: readonly string[], logger: Logger) {
  const matches = createMatcher(['localhost', ...allowed]);
  const isOurs = memoizeText((host) => {
    const name = hostnameOf(host);
    return name !== null && (matches(name) || ipaddr.isValid(name.replace(/^\[|\]$/g, '')));
  });
  return (req: IncomingMessage): Refusal | null => {
    const { host } = req.headers;
    if (isOurs(host ?? 'localhost')) return null; // HTTP/1.0 clients may send no Host header; browsers always do
    const peer = req.socket.remoteAddress;
    logger.warn({ peer, host: host?.slice(0, SHOWN_LENGTH) }, 'request for a foreign host refused');
    return FOREIGN_HOST;
  };
}

function hostnameOf(host: string): string | null {
  const base = `http://${host}`;
  return URL.canParse(base) ? new URL(base).hostname : null;
}
