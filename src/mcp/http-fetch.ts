import { readFile } from 'node:fs/promises';
import { type ClientRequest, Agent as HttpAgent, request as http, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as https } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { FetchLike } from '@modelcontextprotocol/client';
import { headersFor } from './authorization.ts';
import { McpConnectionError } from './errors.ts';
import type { OpenRequests } from './open-requests.ts';
import { MAX_MESSAGE_BYTES, TOO_LARGE } from './stdio-transport.ts';
import type { Traffic } from './traffic-limiter.ts';
import type { RemoteTransportSettings } from './types.ts';

export interface FetchOptions {
  settings: RemoteTransportSettings;
  traffic: Traffic;
  requests: OpenRequests;
  /** Ends the connection for this reason; null = there is none. */
  breakOff(reason: string | null): void;
}

/** Milliseconds until a server that does not take a connection counts as away: nothing was sent then. */
const CONNECT_MS = 10_000;

/** A connection is kept less long (ms) than servers do that say nothing of it: what goes to one that closes is lost. */
const KEPT_ALIVE = { keepAlive: true, timeout: 4_000 };

/** Statuses of answers that have no body. */
const BODILESS = new Set([204, 205, 304]);

/**
 * The fetch that MCP over HTTP uses: half of the work of Node's own, which moreover cannot be told which certificates to
 * accept. Follows no redirect, the SDK decides about those. Breaks the connection off when a message is larger than
 * MAX_MESSAGE_BYTES, which the SDK would gather in memory, and when the server sends too much.
 */
export function createMcpFetch(options: FetchOptions): FetchLike {
  const { traffic, requests, breakOff } = options;
  const agents = { http: new HttpAgent(KEPT_ALIVE), https: new HttpsAgent(KEPT_ALIVE) };
  const home = new URL(options.settings.url).origin;
  return async (given, init = {}) => {
    const url = given instanceof URL ? given : new URL(given);
    const headers = headersTo(url, init, { ...options, home });
    const asked = requests.sent(init.body);
    const excess = (init.method ?? 'GET') === 'GET' ? traffic.stream() : null;
    if (excess !== null) {
      breakOff(excess);
      throw new McpConnectionError(excess);
    }
    const answer = await send(url, { ...init, headers }, options.settings, agents);
    const { statusCode: status = 502, statusMessage: statusText = '' } = answer;
    const isStream = answer.headers['content-type']?.includes('text/event-stream') ?? false;
    const watched = isStream && asked.length > 0 ? requests.watch(asked) : null;
    const bound = boundMessages(isStream, options);
    const body = bodyOf(decoded(answer), {
      piece(bytes) {
        bound(bytes);
        watched?.piece(bytes);
      },
      ended: () => watched?.ended(),
      failure: (error) => (init.signal?.aborted ? init.signal.reason : error),
    });
    const response = new Response(BODILESS.has(status) ? null : body, {
      ...{ status, statusText },
      headers: headersFrom(answer),
    });
    // Errors and redirects are told by the address that answered.
    return Object.defineProperty(response, 'url', { value: url.href });
  };
}

/**
 * What is configured for the server goes to the server alone: with OAuth, others are asked too, as it says. Of those only
 * the configured issuer is looked at; a token is asked for where that issuer says.
 */
function headersTo(
  url: URL,
  init: RequestInit,
  { settings, breakOff, home }: Pick<FetchOptions, 'settings' | 'breakOff'> & { home: string },
): Headers {
  const headers = new Headers(init.headers);
  try {
    if (url.origin === home) {
      for (const [name, value] of headersFor(settings)) headers.set(name, value);
      return headers;
    }
  } catch (error) {
    breakOff(error instanceof McpConnectionError ? error.message : null);
    throw error;
  }
  const isIssuer = url.origin === (settings.oauth && new URL(settings.oauth.issuer).origin);
  const asksForToken = Boolean(settings.oauth) && init.method === 'POST' && url.protocol === 'https:';
  if (isIssuer || asksForToken) return headers;
  throw new McpConnectionError(
    `it names ${url.host} for its authorization, which is not the configured issuer`,
  );
}

/** An empty line, however lines end. */
const EVENT_ENDS = ['\n\n', '\n\r\n', '\r\r'];

/**
 * Refuses what makes a message longer than the limit; in an event stream an empty line ends a message.
 * @returns what is told of each piece, and throws the reason why it is too much
 */
function boundMessages(
  isStream: boolean,
  { traffic, breakOff }: Pick<FetchOptions, 'traffic' | 'breakOff'>,
): (piece: Buffer) => void {
  let bytes = 0;
  return (piece) => {
    const end = isStream ? Math.max(...EVENT_ENDS.map((blank) => piece.lastIndexOf(blank))) : -1;
    bytes = end >= 0 ? piece.length - end : bytes + piece.length;
    const excess = bytes > MAX_MESSAGE_BYTES ? TOO_LARGE : traffic.bytes(piece.length);
    if (excess === null) return;
    breakOff(excess);
    throw new McpConnectionError(excess);
  };
}

const DECODERS = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress };

/** We ask for no compression; what stands between may compress all the same. */
function decoded(answer: IncomingMessage): Readable {
  const encoding = answer.headers['content-encoding']?.toLowerCase() ?? '';
  const decoder = DECODERS[encoding as keyof typeof DECODERS];
  return decoder === undefined ? answer : pipeline(answer, decoder(), () => {}); // who reads is told of what fails
}

/** What a body is looked at for. */
interface BodyWatch {
  /** Told of each piece before it is handed on. @throws why the body is to be broken off */
  piece(bytes: Buffer): void;
  /** It has ended, or broke, or is not read on. */
  ended(): void;
  /** As what it broke off. */
  failure(error: unknown): unknown;
}

function bodyOf(answer: Readable, watch: BodyWatch): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const fail = (error: unknown) => {
        answer.removeAllListeners('data');
        controller.error(error);
        answer.destroy();
      };
      answer.on('data', (piece: Buffer) => {
        try {
          watch.piece(piece);
        } catch (error) {
          return fail(error);
        }
        controller.enqueue(piece);
        if ((controller.desiredSize ?? 0) <= 0) answer.pause();
      });
      answer.once('end', () => controller.close());
      answer.once('error', (error) => fail(watch.failure(error)));
      answer.once('close', watch.ended);
    },
    pull: () => void answer.resume(),
    cancel: () => void answer.destroy(),
  });
}

/** @throws the signal's reason; what the system says of a connection that cannot be made, or broke */
async function send(
  url: URL,
  { method = 'GET', headers, body, signal }: RequestInit & { headers: Headers },
  { verifySsl, caFile }: RemoteTransportSettings,
  agents: { http: HttpAgent; https: HttpsAgent },
): Promise<IncomingMessage> {
  signal?.throwIfAborted();
  const accepted = { rejectUnauthorized: verifySsl !== false, ...(caFile && { ca: await trusted(caFile) }) };
  const options = {
    method,
    headers: { 'user-agent': 'tarsy', ...Object.fromEntries(headers) },
    ...(signal && { signal }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent =
    url.protocol === 'https:'
      ? https(url, { ...options, ...accepted, agent: agents.https })
      : http(url, { ...options, agent: agents.http });
  sent.once('response', resolve);
  sent.on('error', (error) => reject(signal?.aborted ? signal.reason : error));
  limitConnecting(sent);
  // Messages are text, questions for a token are forms.
  sent.end(body == null ? undefined : String(body));
  return promise;
}

function limitConnecting(sent: ClientRequest): void {
  sent.once('socket', (socket) => {
    if (!socket.connecting) return;
    const reason = `it took no connection within ${CONNECT_MS / 1000} s`;
    const limit = setTimeout(
      () => sent.destroy(new McpConnectionError(reason, { isUnsent: true })),
      CONNECT_MS,
    );
    socket.once('connect', () => clearTimeout(limit));
    socket.once('close', () => clearTimeout(limit));
  });
}

function headersFrom(answer: IncomingMessage): [string, string][] {
  return Object.entries(answer.headers).map(([name, value = '']) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
}

async function trusted(caFile: string): Promise<string[]> {
  try {
    return [...rootCertificates, await readFile(caFile, 'utf8')];
  } catch (error) {
    throw new McpConnectionError('its file of certificate authorities cannot be read', { cause: error });
  }
}
