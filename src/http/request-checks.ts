import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import type { ApiErrorCode } from '../common/error-codes/api.ts';
import { memoizeText } from './memoize-text.ts';

export interface Refusal {
  status: number;
  code: ApiErrorCode;
  message: string;
}

/** Names of UTF-8 that clients write in Content-Type, in lower case. */
const UTF8_NAMES: readonly string[] = ['utf-8', 'utf8'];
const ANSWER_TYPES = /(?:\*|application)\/\*|application\/(?:graphql-response\+)?json|text\/event-stream/i;

/** Returns why an API request is refused, or `null`. POST must be JSON, because other origins then need a preflight. */
export function checkRequest(req: IncomingMessage): Refusal | null {
  const { accept = '*/*', 'content-encoding': encoding = 'identity' } = req.headers;
  if (encoding !== 'identity') {
    return unsupported(
      `Compressed request bodies are not supported. Send the body without Content-Encoding ${encoding}.`,
    );
  }
  if (req.method === 'POST') {
    const problem = checkContentType(req.headers['content-type'] ?? '');
    if (problem !== null) return unsupported(problem);
  }
  // Checked before the operation runs, because the answer to a mutation must not depend on a header read later.
  if (!ANSWER_TYPES.test(accept) && !wantsPage(req))
    return { status: 406, code: 'NOT_ACCEPTABLE', message: NOT_ACCEPTABLE };
  return req.method === 'GET' ? checkParameters(req) : null;
}

export const NOT_ACCEPTABLE =
  'Answers are application/json or application/graphql-response+json. Subscriptions are text/event-stream (such as graphql-sse with a connection for each operation) or WebSocket (graphql-ws), not multipart/mixed.';

function checkContentType(text: string): string | null {
  const type = parseMimeType(text);
  if (type?.essence !== 'application/json') {
    return 'Send GraphQL requests as JSON, with Content-Type: application/json.';
  }
  const charset = type.params.get('charset') ?? 'utf-8';
  return UTF8_NAMES.includes(charset.toLowerCase())
    ? null
    : `Send JSON in UTF-8; the charset ${charset} is not supported.`;
}

function parseMimeType(text: string): MIMEType | null {
  try {
    return new MIMEType(text);
  } catch {
    return null;
  }
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

/** True if the client accepts a page, such as that of GraphiQL. */
export function wantsPage({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && String(headers.accept ?? '').includes('text/html');
}

/** True if a browser opens a page, false if a page's script sends the request. */
export function isNavigation({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' || headers.authorization !== undefined) return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? String(headers.accept ?? '').includes('text/html') : mode === 'navigate';
}
