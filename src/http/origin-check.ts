import type { IncomingMessage } from 'node:http';
import { createMatcher } from './patterns.ts';

/** True if the request comes from no page, or from a page that may act for its user. */
export type OriginCheck = (req: IncomingMessage) => boolean;

/**
 * Creates the check of the Origin header, because browsers let any page send requests with the user's cookies. Trusts
 * the allowed origins and pages of this server's own host, which `createHostCheck` verifies.
 */
export function createOriginCheck(allowed: readonly string[]): OriginCheck {
  const isAllowed = createMatcher(allowed);
  return ({ headers: { origin, host } }) => {
    if (origin === undefined || isAllowed(origin)) return true;
    return URL.canParse(origin) && new URL(origin).host === host;
  };
}
