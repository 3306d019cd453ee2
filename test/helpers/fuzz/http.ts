import { request } from 'node:http';
import { connect } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { oddRequest } from './documents.ts';
import { mangled, oddText, type Random } from './random.ts';

/** The outcome of a request. There is no status if the connection ended without an answer. */
export interface Outcome {
  what: string;
  status: number | null;
  body: string;
}

/**
 * Time limit for an answer (ms). A stream is closed after its first bytes, so only a request that hangs takes
 * this long.
 */
const PATIENCE_MS = 20_000;

const ACCEPTS = [
  '*/*',
  'application/json',
  'text/event-stream',
  'application/graphql-response+json',
  'text/html',
  'image/png',
  '',
];
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/graphql',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  '',
];
const METHODS = ['POST', 'GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE'];
const PATHS = [
  '/graphql',
  '/graphql/',
  '/',
  '/health',
  '/metrics',
  '/assets/x.js',
  '/sessions/1',
  '/%00',
  '/..%2f..%2fetc',
  '/graphql?',
];

/** Sends one request with some defect. */
export function sendBadRequest(random: Random, port: number, ids: readonly string[]): Promise<Outcome> {
  const json = JSON.stringify(oddRequest(random, ids));
  if (random.once(12)) return sendRaw(random, port, json);
  const headers = oddHeaders(random);
  if (random.once(4)) {
    const { query, variables } = oddRequest(random, ids);
    const parameters = new URLSearchParams({
      query: String(query),
      variables: JSON.stringify(variables ?? null),
    });
    return send(port, { method: 'GET', path: `/graphql?${parameters}`.slice(0, 8000), headers });
  }
  const method = random.once(10) ? random.pick(METHODS) : 'POST';
  const path = random.once(10) ? random.pick(PATHS) : '/graphql';
  return send(port, { method, path, headers, body: oddBody(random, json, headers) });
}

function oddHeaders(random: Random): Record<string, string> {
  const headers: Record<string, string> = {
    accept: random.pick(ACCEPTS),
    'content-type': 'application/json',
  };
  if (random.once(8)) headers['content-type'] = random.pick(TYPES);
  for (const name of [
    'x-forwarded-user',
    'x-remote-user',
    'last-event-id',
    'origin',
    'host',
    'cookie',
    'range',
    'x-forwarded-groups',
    'sec-fetch-site',
    'access-control-request-method',
    'if-none-match',
    'accept-encoding',
  ]) {
    if (random.once(12)) headers[name] = headerText(random);
  }
  return headers;
}

/** Random text that Node accepts in a header. */
function headerText(random: Random): string {
  return oddText(random)
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
    .slice(0, 1000);
}

function oddBody(random: Random, json: string, headers: Record<string, string>): Buffer {
  const text = random.once(3) ? mangled(random, json) : json;
  if (random.once(20)) {
    headers['content-encoding'] = random.pick(['gzip', 'deflate', 'br', 'identity', 'x']);
    // A compression bomb: half a megabyte of zeros that compresses to almost nothing.
    return random.once(2) ? gzipSync(Buffer.alloc(500_000)) : deflateSync(text);
  }
  if (random.once(40)) return Buffer.from(`[${text},${text}]`);
  if (random.once(60)) return Buffer.from('['.repeat(20_000));
  return Buffer.from(text, random.once(20) ? 'utf16le' : 'utf8');
}

function send(
  port: number,
  { body, ...target }: { method: string; path: string; headers: Record<string, string>; body?: Buffer },
): Promise<Outcome> {
  const what = `${target.method} ${target.path} ${JSON.stringify(target.headers)} ${String(body ?? '').slice(0, 2000)}`;
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const nothing = () => resolve({ what, status: null, body: '' });
  const sent = request(
    { host: '127.0.0.1', port, ...target, agent: false, timeout: PATIENCE_MS },
    (response) => {
      const parts: Buffer[] = [];
      const done = () => {
        resolve({ what, status: response.statusCode ?? null, body: Buffer.concat(parts).toString() });
        response.destroy();
      };
      response.on('data', (part: Buffer) => {
        parts.push(part);
        if (String(response.headers['content-type']).startsWith('text/event-stream')) done();
      });
      response.on('close', done);
    },
  );
  sent.on('timeout', () => {
    resolve({ what, status: 599, body: 'no answer' });
    sent.destroy();
  });
  sent.on('upgrade', nothing);
  sent.on('error', nothing);
  sent.end(body);
  return promise;
}

const REQUEST_LINES = [
  'GET /graphql HTTP/1.1',
  'POST /graphql HTTP/1.1',
  'GET /graphql HTTP/9.9',
  'CONNECT a:1 HTTP/1.1',
  'PRI * HTTP/2.0',
  'G@T / HTTP/1.1',
  '',
  'GET  HTTP/1.1',
];
const HEADER_LINES = [
  'Host: x',
  'Host: a\r\nHost: b',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: x',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Key: x',
  'Sec-WebSocket-Version: 13',
  'Expect: 100-continue',
  'Expect: x',
  'X\0: y',
  ': y',
  `X: ${'y'.repeat(9000)}`,
  'Content-Type: application/json',
];

/** Sends bytes that are barely HTTP, then ends the connection. */
async function sendRaw(random: Random, port: number, json: string): Promise<Outcome> {
  const head = [random.pick(REQUEST_LINES), ...random.list(6, () => random.pick(HEADER_LINES))].join('\r\n');
  const text = `${random.once(3) ? mangled(random, head) : head}\r\n\r\n${random.once(2) ? json : ''}`;
  const socket = connect(port, '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  socket.on('error', () => {}); // the server may reset the connection
  socket.end(text);
  await new Promise((resolve) => socket.once('close', resolve));
  const body = Buffer.concat(parts).toString('latin1');
  return {
    what: `raw ${text.slice(0, 2000)}`,
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(body)?.[1] ?? 0) || null,
    body,
  };
}
