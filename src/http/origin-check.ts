import type { IncomingMessage } from 'node:http';
import { createMatcher } from './patterns.ts';

/** Whether the page that a request comes from is trusted with what its user may do. */
export type OriginCheck = (req: IncomingMessage) => boolean;

/**
 * Browsers let any page send requests and open WebSockets, with the user's cookies. Trusted are pages of our own host,
 * whose name is checked before, and those of the origins given. Requests without an origin are no page's.
 * @param allowed origins; `*` stands for a part of a host name, dots included
 */
export function createOriginCheck(allowed: readonly string[]): OriginCheck {
  const isAllowed = createMatcher(allowed);
  return ({ headers: { origin, host } }) => {
    if (origin === undefined || isAllowed(origin)) return true;
    return URL.canParse(origin) && new URL(origin).host === host;
  };
}
