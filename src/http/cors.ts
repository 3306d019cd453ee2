import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refusal } from './guard.ts';

/** Pages of development servers on the user's own machine. */
const DEVELOPMENT_ORIGINS = ['localhost', '127.0.0.1'].flatMap((host) =>
  [5173, 8080].map((port) => `http://${host}:${port}`),
);

/** Seconds for which a browser remembers what it was told. */
const MAX_AGE_SECONDS = 3600;

/**
 * Which pages of other origins may use the API with their user's cookies: the dashboard's, and development servers.
 * @param ownOrigins such as that of `system.dashboard_url`
 */
export function createCors(ownOrigins: readonly string[]) {
  const allowed = new Set([...DEVELOPMENT_ORIGINS, ...ownOrigins]);
  const isAllowed = (req: IncomingMessage) =>
    req.headers.origin !== undefined && allowed.has(req.headers.origin);
  return {
    /** Sets the headers; true when the request was a preflight, which is then answered. */
    answer(req: IncomingMessage, res: ServerResponse): boolean {
      res.setHeader('Vary', 'Origin');
      if (!isAllowed(req)) return false;
      res.setHeader('Access-Control-Allow-Origin', String(req.headers.origin));
      res.setHeader('Access-Control-Allow-Credentials', 'true');
      res.setHeader('Access-Control-Expose-Headers', 'X-Request-Id');
      if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined)
        return false;
      res.setHeader('Access-Control-Allow-Methods', 'GET, POST');
      res.setHeader('Access-Control-Allow-Headers', 'Content-Type, Last-Event-ID');
      res.setHeader('Access-Control-Max-Age', String(MAX_AGE_SECONDS));
      res.writeHead(204).end();
      return true;
    },
    /** A page elsewhere can send a GET without asking. It cannot read the answer, but it can make us work for it. */
    check(req: IncomingMessage): Refusal | null {
      const isPage = req.headers['sec-fetch-mode'] === 'navigate';
      if (req.headers['sec-fetch-site'] !== 'cross-site' || isPage || isAllowed(req)) return null;
      return {
        status: 403,
        code: 'ORIGIN_NOT_ALLOWED',
        message: 'Pages of other origins may not use this API.',
      };
    },
  };
}
