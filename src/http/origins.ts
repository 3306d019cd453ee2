import type { IncomingMessage } from 'node:http';

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Whether the page that a request comes from may open a WebSocket. */
export type OriginCheck = (req: IncomingMessage) => boolean;

/**
 * Browsers let any page try to open a WebSocket, with the user's cookies. Requests without an origin are no browser's.
 * Allowed are our own host, pages of this machine on this machine (development servers), and those configured.
 * @param allowed origins; `*` stands for a part of a host name, dots included
 */
export function createOriginCheck(allowed: readonly string[]): OriginCheck {
  const patterns = allowed.map(
    (origin) => new RegExp(`^${origin.split('*').map(escaped).join('[a-z0-9.-]+')}$`, 'i'),
  );
  return ({ headers: { origin, host } }) => {
    if (origin === undefined || patterns.some((pattern) => pattern.test(origin))) return true;
    if (!URL.canParse(origin)) return false;
    const page = new URL(origin);
    return page.host === host || (LOOPBACK.test(page.hostname) && LOOPBACK.test(hostnameOf(host)));
  };
}

function hostnameOf(host: string | undefined): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
