import type { IncomingHttpHeaders } from 'node:http';

/** Who a request without a name is recorded as. */
const ANONYMOUS_AUTHOR = 'api-client';

/** Headers in which an authenticating proxy names the user: oauth2-proxy's two, then kube-rbac-proxy's. */
const USER_HEADERS = ['x-forwarded-user', 'x-forwarded-email', 'x-remote-user'] as const;

/** Characters of a name that are kept. */
const MAX_AUTHOR_LENGTH = 200;

/** Author of what the request does. The headers are taken on trust: the proxy in front must set or strip them. */
export function authorOf(headers: IncomingHttpHeaders): string {
  for (const name of USER_HEADERS) {
    const value = String(headers[name] ?? '').trim();
    if (value !== '') return value.slice(0, MAX_AUTHOR_LENGTH);
  }
  return ANONYMOUS_AUTHOR;
}
