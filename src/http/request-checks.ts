import type { IncomingMessage } from 'node:http';
import { memoizeText } from './memoize-text.ts';

export interface Refusal {
  status: number;
  code: string;
  message: string;
}

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

/** Returns why an API request is refused, or `null`. POST must be JSON, because other origins then need a preflight. */
export function checkRequest(req: IncomingMessage): Refusal | null {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    return unsupported(`Compressed request bodies are not taken; this one has Content-Encoding ${encoding}.`);
  }
  if (req.method === 'POST' && !JSON_TYPE.test(req.headers['content-type'] ?? '')) {
    return unsupported('Send GraphQL requests as JSON, with Content-Type: application/json.');
  }
  return req.method === 'GET' ? checkParameters(req) : null;
}

function checkParameters(req: IncomingMessage): Refusal | null {
  const { searchParams } = new URL(req.url ?? '', 'http://localhost');
  const broken = ['variables', 'extensions'].find((name) => !isJson(searchParams.get(name) || 'null'));
  return broken === undefined
    ? null
    : { status: 400, code: 'BAD_REQUEST', message: `The parameter ${broken} is not JSON.` };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function unsupported(message: string): Refusal {
  return { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', message };
}

const PLAIN = /^(?:\/[\w-]+)+$/;
const isBase = memoizeText((base) => URL.canParse(base));

/** Returns the path of a request without its query; `null` for an invalid target (`*`, `//`, a bad escape or host). */
export function pathOf(req: IncomingMessage): string | null {
  const target = req.url ?? '';
  const base = `http://${req.headers.host ?? 'localhost'}`;
  if (!isBase(base)) return null;
  if (PLAIN.test(target)) return target;
  if (!target.startsWith('/') || target.startsWith('//') || !URL.canParse(target, base)) return null;
  try {
    return decodeURIComponent(new URL(target, base).pathname);
  } catch {
    return null;
  }
}

/** True if a browser opens a page, false if a page's script sends the request. */
export function isNavigation({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' || headers.authorization !== undefined) return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? String(headers.accept ?? '').includes('text/html') : mode === 'navigate';
}
