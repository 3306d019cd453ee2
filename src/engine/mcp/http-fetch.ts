import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { Readable } from 'node:stream';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { MAX_MESSAGE_BYTES } from './stdio-transport.ts';

/**
 * The fetch that MCP over HTTP uses: refuses messages larger than MAX_MESSAGE_BYTES, which the SDK would gather in memory.
 * `verifySsl` false accepts any certificate, for this server only.
 */
export function createMcpFetch(verifySsl: boolean): FetchLike {
  return async (url, init) => {
    const plain = verifySsl || new URL(url).protocol !== 'https:';
    const response = await (plain ? fetch(url, init) : fetchUnverified(url, init));
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    const { status, statusText, headers } = response;
    const bounded = new Response(response.body.pipeThrough(boundMessages(isStream)), {
      status,
      statusText,
      headers,
    });
    // Errors and redirects are told by the address that answered.
    Object.defineProperty(bounded, 'url', { value: response.url });
    return bounded;
  };
}

/** Errors a body whose next message grows beyond the limit; in an event stream an empty line ends a message. */
function boundMessages(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = isStream
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).lastIndexOf('\n\n')
        : -1;
      bytes = end >= 0 ? chunk.byteLength - end : bytes + chunk.byteLength;
      if (bytes > MAX_MESSAGE_BYTES) controller.error(new Error('message too large'));
      else controller.enqueue(chunk);
    },
  });
}

/** Node's own fetch cannot be told to accept a certificate; its https module can. Follows no redirect. */
async function fetchUnverified(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = {
    method: init.method ?? 'GET',
    headers: Object.fromEntries(new Headers(init.headers)),
    rejectUnauthorized: false,
    ...(init.signal ? { signal: init.signal } : {}),
  };
  const sent = request(url, options);
  sent.once('response', resolve);
  sent.once('error', reject);
  sent.end(typeof init.body === 'string' ? init.body : undefined);
  const answer = await promise;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const status = answer.statusCode ?? 502;
  const hasBody = status !== 204 && status !== 304;
  if (!hasBody) answer.resume();
  const body = hasBody ? (Readable.toWeb(answer) as BodyInit) : null;
  return new Response(body, { status, headers });
}
