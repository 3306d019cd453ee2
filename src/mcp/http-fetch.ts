import { readFile } from 'node:fs/promises';
import { type ClientRequest, request as http, type IncomingMessage } from 'node:http';
import { request as https } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { FetchLike } from '@modelcontextprotocol/client';
import { createRoutes, type FindRoute } from '../outgoing/agents.ts';
import { defaultCertificates } from '../outgoing/certificates.ts';
import { refusedBy, withProxy } from '../outgoing/failures.ts';
import { requestHeaders } from './authorization.ts';
import type { ConnectionEnd } from './connection-end.ts';
import { McpConnectionError } from './errors.ts';
import { describeFailure } from './failures.ts';
import { messagesIn, type OpenRequests, PARSE_MS, STREAM_ENDED, type StreamWatch } from './open-requests.ts';
import { repairEvents, repairJson } from './repair-body.ts';
import { MAX_MESSAGE_BYTES, TOO_LARGE, type TrafficLimiter } from './traffic-limiter.ts';
import type { RemoteTransportSettings } from './types.ts';
import { repairMessage } from './wire-message.ts';

export interface McpFetchOptions {
  settings: RemoteTransportSettings;
  traffic: TrafficLimiter;
  requests: OpenRequests;
  disconnect(end: ConnectionEnd): void;
}

/** Time limit of opening a TCP connection (ms). When it expires, no part of the request was sent. */
const CONNECT_MS = 10_000;

/** Keeps idle connections for less time (ms) than servers usually do, so that no request uses a closing connection. */
const KEEP_ALIVE = { keepAlive: true, timeout: 4_000 };

const BODILESS = new Set([204, 205, 304]);

/**
 * Creates the `fetch` of MCP over HTTP. Node's own takes twice the time and cannot trust further certificates. Follows
 * no redirects. Disconnects when the server exceeds MAX_MESSAGE_BYTES or the traffic limits.
 */
export function createMcpFetch(options: McpFetchOptions): FetchLike {
  const { settings, traffic, requests, disconnect } = options;
  const findRoute = createRoutes(KEEP_ALIVE);
  let hadSession = false;
  return async (given, init = {}) => {
    const url = given instanceof URL ? given : new URL(given);
    const isGet = (init.method ?? 'GET') === 'GET';
    const isSession =
      settings.type === 'sse' && new Headers(init.headers).get('accept') === 'text/event-stream';
    // Refuses the stream that the SDK opens after the end of the first, because its session is not initialized.
    if (isSession && hadSession) throw new McpConnectionError(STREAM_ENDED);
    const open = async () => {
      const headers = headersTo(url, init, settings);
      const excess = isGet ? traffic.stream() : null;
      if (excess !== null) throw limitExceeded(excess, disconnect);
      const requestIds = requests.onSent(messagesIn(init.body));
      return { requestIds, answer: await send(url, { ...init, headers }, settings, findRoute) };
    };
    const { requestIds, answer } = await open().catch((cause: unknown) => {
      // Keeps the error, because the SDK's SSE transport drops the errors of `fetch`.
      if (isSession) disconnect({ reason: describeFailure(cause), byClient: false, cause });
      throw cause;
    });
    const { statusCode: status = 502, statusMessage: statusText = '' } = answer;
    const type = answer.headers['content-type'] ?? '';
    const isStream = type.includes('text/event-stream');
    hadSession ||= isSession && isStream;
    const watched = isStream && requestIds.length > 0 ? requests.watch(requestIds) : null;
    const checkSize = createSizeCheck(isStream, options);
    const body = toWebStream(decoded(answer), {
      onChunk(bytes) {
        checkSize(bytes);
        watched?.onChunk(bytes);
      },
      onEnd() {
        watched?.onEnd();
        if (isSession && isStream)
          setTimeout(() => disconnect({ reason: STREAM_ENDED, byClient: false }), PARSE_MS);
      },
      toFailure: (error) => (init.signal?.aborted ? init.signal.reason : error),
    });
    const repair = (written: unknown) => {
      const message = repairMessage(written, requests.awaited(requestIds));
      requests.onReceived(message);
      return message;
    };
    const repaired = isStream
      ? body.pipeThrough(repairEvents(repair))
      : requestIds.length > 0 && status < 300 && type.includes('json')
        ? body.pipeThrough(repairJson(repair))
        : body;
    const response = new Response(BODILESS.has(status) ? null : repaired, {
      ...{ status, statusText },
      headers: Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
    });
    // The SDK reads the URL for errors and redirects.
    return Object.defineProperty(response, 'url', { value: url.href });
  };
}

/**
 * Returns the headers of a request. Adds the configured headers and token only for the server's own origin. With OAuth,
 * also allows the issuer and HTTPS POSTs for a token. @throws McpConnectionError for any other address
 */
function headersTo(url: URL, init: RequestInit, settings: RemoteTransportSettings): Headers {
  const headers = new Headers(init.headers);
  if (url.origin === new URL(settings.url).origin) {
    for (const [name, value] of requestHeaders(settings)) headers.set(name, value);
    return headers;
  }
  const isIssuer = url.origin === (settings.oauth && new URL(settings.oauth.issuer).origin);
  const isTokenRequest = Boolean(settings.oauth) && init.method === 'POST' && url.protocol === 'https:';
  if (isIssuer || isTokenRequest) return headers;
  throw new McpConnectionError(
    `the server names ${url.host} for its authorization, which is not the configured issuer`,
  );
}

/** Byte sequences that end a message of an event stream: an empty line, for each kind of line ending. */
const EVENT_ENDS = ['\n\n', '\n\r\n', '\r\r'];

function createSizeCheck(
  isStream: boolean,
  { traffic, disconnect }: Pick<McpFetchOptions, 'traffic' | 'disconnect'>,
): (chunk: Buffer) => void {
  let bytes = 0;
  return (chunk) => {
    const end = isStream ? Math.max(...EVENT_ENDS.map((blank) => chunk.lastIndexOf(blank))) : -1;
    bytes = end >= 0 ? chunk.length - end : bytes + chunk.length;
    const excess = bytes > MAX_MESSAGE_BYTES ? TOO_LARGE : traffic.bytes(chunk.length);
    if (excess !== null) throw limitExceeded(excess, disconnect);
  };
}

/** Disconnects for a limit. @returns the error of the request */
function limitExceeded(reason: string, disconnect: McpFetchOptions['disconnect']): McpConnectionError {
  disconnect({ reason, byClient: true });
  return new McpConnectionError(reason);
}

const DECODERS = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress };

/** Decompresses a response. The client requests no compression, but a proxy may compress anyway. */
function decoded(answer: IncomingMessage): Readable {
  const encoding = answer.headers['content-encoding']?.toLowerCase() ?? '';
  const decoder = DECODERS[encoding as keyof typeof DECODERS];
  return decoder === undefined ? answer : pipeline(answer, decoder(), () => {}); // the reader gets the error
}

/** Converts a Node response. The reader gets errors of `onChunk` unchanged; `toFailure` converts others. */
function toWebStream(
  answer: Readable,
  watch: StreamWatch & { toFailure(error: unknown): unknown },
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const fail = (error: unknown) => {
        answer.removeAllListeners('data');
        controller.error(error);
        answer.destroy();
      };
      answer.on('data', (chunk: Buffer) => {
        try {
          watch.onChunk(chunk);
        } catch (error) {
          return fail(error);
        }
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) answer.pause();
      });
      answer.once('end', () => controller.close());
      answer.once('error', (error) => fail(watch.toFailure(error)));
      answer.once('close', watch.onEnd);
    },
    pull: () => void answer.resume(),
    cancel: () => void answer.destroy(),
  });
}

/** Sends a request. @throws the signal's reason, ProxyError, McpConnectionError, or the system error of the connection */
async function send(
  url: URL,
  { method = 'GET', headers, body, signal }: RequestInit & { headers: Headers },
  { verifySsl, caFile }: RemoteTransportSettings,
  findRoute: FindRoute,
): Promise<IncomingMessage> {
  signal?.throwIfAborted();
  const accepted = { rejectUnauthorized: verifySsl !== false, ...(caFile && { ca: await trusted(caFile) }) };
  const { agent, proxy } = findRoute(url);
  const options = {
    method,
    agent,
    timeout: CONNECT_MS, // limits the opening of a tunnel through a proxy; nothing else heeds it
    headers: { 'user-agent': 'tarsy', ...Object.fromEntries(headers) },
    ...(signal && { signal }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = url.protocol === 'https:' ? https(url, { ...options, ...accepted }) : http(url, options);
  sent.once('response', (answer) => {
    if (proxy === null || answer.statusCode !== 407) return resolve(answer);
    answer.destroy();
    reject(refusedBy(proxy, 407));
  });
  sent.on('error', (error) => reject(signal?.aborted ? signal.reason : withProxy(error, proxy)));
  limitConnecting(sent);
  sent.end(body == null ? undefined : String(body));
  return promise;
}

function limitConnecting(sent: ClientRequest): void {
  sent.once('socket', (socket) => {
    if (!socket.connecting) return;
    const reason = `the server accepted no connection within ${CONNECT_MS / 1000} s`;
    const limit = setTimeout(
      () => sent.destroy(new McpConnectionError(reason, { neverSent: true })),
      CONNECT_MS,
    );
    socket.once('connect', () => clearTimeout(limit));
    socket.once('close', () => clearTimeout(limit));
  });
}

async function trusted(caFile: string): Promise<string[]> {
  try {
    return [...defaultCertificates(), await readFile(caFile, 'utf8')];
  } catch (error) {
    throw new McpConnectionError('the file of certificate authorities cannot be read', { cause: error });
  }
}
