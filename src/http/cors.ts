import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OriginCheck } from './origin-check.ts';
import type { Refusal } from './request-checks.ts';

/** Seconds for which a browser remembers what it was told. */
const MAX_AGE_SECONDS = 3600;

const FOREIGN_ORIGIN: Refusal = {
  status: 403,
  code: 'ORIGIN_NOT_ALLOWED',
  message: 'Pages of this origin may not use this API; system.allowed_origins names those that may.',
};

/** Pages of other origins: tells those that are trusted what they may send, and refuses what the others send. */
export function createCors(isTrusted: OriginCheck) {
  return {
    /** Sets the headers; true when the request was a preflight, which is then answered. */
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
     * A page elsewhere can send a GET without asking, and a POST once it found a way around asking. It cannot read the
     * answer, but can have things done. Links to us may be followed.
     */
    check(req: IncomingMessage): Refusal | null {
      if (!isTrusted(req)) return FOREIGN_ORIGIN;
      const site = req.headers['sec-fetch-site'] ?? 'none';
      if (site === 'none' || site === 'same-origin' || req.headers.origin !== undefined) return null;
      return req.headers['sec-fetch-mode'] === 'navigate' ? null : FOREIGN_ORIGIN;
    },
  };
}
