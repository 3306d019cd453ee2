import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OriginCheck } from './origin-check.ts';
import type { Refusal } from './request-checks.ts';

const MAX_AGE_SECONDS = 3600;

const FOREIGN_ORIGIN: Refusal = {
  status: 403,
  code: 'ORIGIN_NOT_ALLOWED',
  message: 'Pages of this origin may not use this API; system.allowed_origins names those that may.',
};

/** Answers CORS preflights of trusted origins and refuses cross-origin requests of all others. */
export function createCors(isTrusted: OriginCheck) {
  return {
    /** Sets the CORS headers. Returns true if the request was a preflight, which is then answered. */
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
    /** Refuses requests caused by a foreign page, because a GET or POST could have effects. Links are allowed. */
    check(req: IncomingMessage): Refusal | null {
      if (!isTrusted(req)) return FOREIGN_ORIGIN;
      const site = req.headers['sec-fetch-site'] ?? 'none';
      if (site === 'none' || site === 'same-origin' || req.headers.origin !== undefined) return null;
      return req.headers['sec-fetch-mode'] === 'navigate' ? null : FOREIGN_ORIGIN;
    },
  };
}
