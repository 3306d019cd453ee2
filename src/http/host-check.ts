import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import { remembering } from './memoize-text.ts';
import { createMatcher } from './patterns.ts';
import type { Refusal } from './request-checks.ts';

const FOREIGN_HOST: Refusal = {
  status: 403,
  code: 'HOST_NOT_ALLOWED',
  message:
    'This server answers to its own names only: loopback, an IP address, the host of system.dashboard_url, and those of system.allowed_hosts.',
};

/** Characters of a foreign name that are logged. */
const SHOWN_LENGTH = 200;

/**
 * Whether a name of ours was asked for. A page may have its own name resolved to our address and then is, to the
 * browser, the very origin that it calls (DNS rebinding); the Host header tells. An address cannot be rebound.
 * @param allowed names besides loopback, without ports; `*` stands for a part of one
 */
export function createHostCheck(allowed: readonly string[], logger: Logger) {
  const matches = createMatcher(['localhost', ...allowed]);
  const isOurs = remembering((host) => {
    const name = hostnameOf(host);
    return name !== null && (matches(name) || ipaddr.isValid(name.replace(/^\[|\]$/g, '')));
  });
  return (req: IncomingMessage): Refusal | null => {
    const { host } = req.headers;
    if (isOurs(host ?? 'localhost')) return null; // programs may name none (HTTP/1.0), browsers always do
    const peer = req.socket.remoteAddress;
    logger.warn({ peer, host: host?.slice(0, SHOWN_LENGTH) }, 'request for a host that is not ours refused');
    return FOREIGN_HOST;
  };
}

function hostnameOf(host: string): string | null {
  const base = `http://${host}`;
  return URL.canParse(base) ? new URL(base).hostname : null;
}
