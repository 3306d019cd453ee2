import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import type { FetchLike } from '@modelcontextprotocol/client';
import { headersFor } from './authorization.ts';
import { McpConnectionError } from './errors.ts';
import type { OpenRequests, WatchedStream } from './open-requests.ts';
import { MAX_MESSAGE_BYTES, TOO_LARGE } from './stdio-transport.ts';
import type { Traffic } from './traffic.ts';
import type { RemoteTransportSettings } from './types.ts';

export interface FetchOptions {
  settings: RemoteTransportSettings;
  traffic: Traffic;
  requests: OpenRequests;
  /** Ends the connection for this reason; null = there is none. */
  breakOff(reason: string | null): void;
}

/**
 * The fetch that MCP over HTTP uses. Breaks the connection off when a message is larger than MAX_MESSAGE_BYTES, which
 * the SDK would gather in memory, and when the server sends too much.
 */
export function createMcpFetch(options: FetchOptions): FetchLike {
  const { settings, traffic, requests, breakOff } = options;
  const { verifySsl, caFile } = settings;
  return async (url, given) => {
    const init = { ...given, headers: headersTo(new URL(url), given, options) };
    const asked = requests.sent(init?.body);
    const excess = (init?.method ?? 'GET') === 'GET' ? traffic.stream() : null;
    if (excess !== null) {
      breakOff(excess);
      throw new McpConnectionError(excess);
    }
    const plain = (verifySsl !== false && !caFile) || new URL(url).protocol !== 'https:';
    const response = await (plain ? fetch(url, init) : fetchOverTls(url, init, options));
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    const { status, statusText, headers } = response;
    const watched = isStream && asked.length > 0 ? requests.watch(asked) : null;
    const body = response.body.pipeThrough(boundMessages(isStream, watched, options));
    const bounded = new Response(body, { status, statusText, headers });
    // Errors and redirects are told by the address that answered.
    Object.defineProperty(bounded, 'url', { value: response.url });
    return bounded;
  };
}

/**
 * What is configured for the server goes to the server alone: with OAuth, others are asked too, as it says. Of those only
 * the configured issuer is looked at; a token is asked for where that issuer says.
 */
function headersTo(
  url: URL,
  init: RequestInit | undefined,
  { settings, breakOff }: Pick<FetchOptions, 'settings' | 'breakOff'>,
): Headers {
  const headers = new Headers(init?.headers);
  try {
    if (url.origin === new URL(settings.url).origin) {
      for (const [name, value] of headersFor(settings)) headers.set(name, value);
      return headers;
    }
  } catch (error) {
    breakOff(error instanceof McpConnectionError ? error.message : null);
    throw error;
  }
  const isIssuer = url.origin === (settings.oauth && new URL(settings.oauth.issuer).origin);
  const asksForToken = Boolean(settings.oauth) && init?.method === 'POST' && url.protocol === 'https:';
  if (isIssuer || asksForToken) return headers;
  throw new McpConnectionError(
    `it names ${url.host} for its authorization, which is not the configured issuer`,
  );
}

/** An empty line, however lines end. */
const EVENT_ENDS = ['\n\n', '\n\r\n', '\r\r'];

/** Errors a body whose next message grows beyond the limit; in an event stream an empty line ends a message. */
function boundMessages(
  isStream: boolean,
  watched: WatchedStream | null,
  { traffic, breakOff }: FetchOptions,
): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  const ended = () => watched?.ended();
  // `cancel` hears of a stream that broke; the types do not have it yet.
  const bounding: Transformer<Uint8Array, Uint8Array> & { cancel(): void } = {
    transform(chunk, controller) {
      const piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const end = isStream ? Math.max(...EVENT_ENDS.map((blank) => piece.lastIndexOf(blank))) : -1;
      bytes = end >= 0 ? chunk.byteLength - end : bytes + chunk.byteLength;
      const excess = bytes > MAX_MESSAGE_BYTES ? TOO_LARGE : traffic.bytes(chunk.byteLength);
      if (excess === null) {
        watched?.piece(piece);
        controller.enqueue(chunk);
        return;
      }
      controller.error(new McpConnectionError(excess));
      breakOff(excess);
    },
    flush: ended,
    cancel: ended,
  };
  return new TransformStream(bounding);
}

/** Node's own fetch cannot be told which certificates to accept; its https module can. Follows no redirect. */
async function fetchOverTls(
  url: string | URL,
  init: RequestInit,
  { settings: { verifySsl, caFile } }: FetchOptions,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = {
    method: init.method ?? 'GET',
    headers: Object.fromEntries(new Headers(init.headers)),
    rejectUnauthorized: verifySsl !== false,
    ...(caFile ? { ca: await trusted(caFile) } : {}),
    ...(init.signal ? { signal: init.signal } : {}),
  };
  const sent = request(url, options);
  sent.once('response', resolve);
  sent.once('error', reject);
  // Messages are text, questions for a token are forms.
  sent.end(init.body == null ? undefined : String(init.body));
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

async function trusted(caFile: string): Promise<string[]> {
  try {
    return [...rootCertificates, await readFile(caFile, 'utf8')];
  } catch (error) {
    throw new McpConnectionError('its file of certificate authorities cannot be read', { cause: error });
  }
}
