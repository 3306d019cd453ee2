import { Client, type Dispatcher, errors, ProxyAgent } from 'undici';
import { ProxyError } from '../outgoing/errors.ts';
import { withProxy } from '../outgoing/failures.ts';
import { type ForwardProxy, proxyFor } from '../outgoing/proxies.ts';
import type { Network } from '../runbooks/network.ts';
import { literalAddress } from '../runbooks/url.ts';
import { checkedAddresses } from './addresses.ts';
import { isTlsCode, SendError, type SendProblem } from './failure.ts';
import { untilAborted } from './until-aborted.ts';

export interface PostRequest {
  url: URL;
  headers: Record<string, string>;
  body: string;
  allowPrivate: boolean;
}

export type GuardedPost = (request: PostRequest, signal: AbortSignal) => Promise<void>;

export interface HttpRequest extends Omit<PostRequest, 'body'> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Missing for GET. */
  body?: string;
  /** True if the answer counts before its body has arrived. */
  ignoresBody?: boolean;
}

/** Sends a request and returns the body of the 2xx answer; '' if the request ignores it. */
export type GuardedRequest = (request: HttpRequest, signal: AbortSignal) => Promise<string>;

/** Maximum size of an answer (bytes), such as all notes of an incident. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/** Statuses below 500 after which a later attempt may succeed. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429]);

/** Creates a POST like `createGuardedRequest`, which ignores the content of the answer. */
export function createGuardedPost(network: Network): GuardedPost {
  const send = createGuardedRequest(network);
  return async (request, signal) => {
    await send({ ...request, method: 'POST', ignoresBody: true }, signal);
  };
}

/**
 * Creates a request that refuses private addresses and follows no redirect. The host name is resolved once, all its
 * addresses are checked, and the connection uses one of them. Behind a proxy, the proxy resolves the name.
 * Resolves if the receiver answers 2xx; throws SendError otherwise.
 */
export function createGuardedRequest(network: Network): GuardedRequest {
  return async (request, signal) => {
    const { url } = request;
    let proxy: ForwardProxy | null = null;
    try {
      proxy = proxyFor(url);
      const isResolvedByProxy = proxy !== null && literalAddress(url) === null;
      const addresses = isResolvedByProxy
        ? []
        : await checkedAddresses(network, url.hostname, request, signal);
      return await send(network, request, proxy ?? { addresses }, signal);
    } catch (error) {
      throw asSendError(withProxy(error, proxy), url, signal);
    }
  };
}

async function send(
  network: Network,
  { method, url, headers, body, ignoresBody = false }: HttpRequest,
  route: ForwardProxy | { addresses: readonly string[] },
  signal: AbortSignal,
): Promise<string> {
  // A client for this request only, so that no connection is reused after the check of its address.
  const limits = { maxResponseSize: MAX_RESPONSE_BYTES, pipelining: 1 };
  const client: Dispatcher =
    'addresses' in route
      ? new Client(url.origin, { connect: network.connector(route.addresses), ...limits })
      : new ProxyAgent({ uri: route.url, ...limits });
  try {
    const sent = client.request({
      ...{ origin: url.origin, method, path: `${url.pathname}${url.search}`, body: body ?? null, signal },
      headers: { 'user-agent': 'tarsy', ...headers },
    });
    // undici ignores the signal until the connection is open.
    const answer = await untilAborted(sent, signal);
    answer.body.on('error', () => {}); // ignores the error of an unread body, whose connection is closed below
    checkAnswer(url, answer);
    return ignoresBody ? '' : await untilAborted(answer.body.text(), signal);
  } finally {
    await client.destroy();
  }
}

function checkAnswer({ hostname }: URL, { statusCode, headers }: Dispatcher.ResponseData): void {
  if (statusCode >= 200 && statusCode < 300) return;
  if (statusCode >= 300 && statusCode < 400) {
    const message = `${hostname} answered ${statusCode} with a redirect, which is not followed. Configure the final URL.`;
    throw new SendError(message, { code: 'REDIRECT', isFinal: true });
  }
  throw new SendError(`${hostname} answered ${statusCode}.`, {
    code: `HTTP_${statusCode}`,
    isGone: statusCode === 410,
    isFinal: statusCode < 500 && !TEMPORARY.has(statusCode),
    isRateLimited: statusCode === 429,
    retryAfterMs: retryAfter(headers['retry-after']),
  });
}

/** Returns the delay of a Retry-After header (ms), given in seconds or as a date; 0 if it is missing or invalid. */
function retryAfter(header: string | string[] | undefined): number {
  if (typeof header !== 'string') return 0;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(ms, 0);
}

function asSendError(error: unknown, { hostname }: URL, signal: AbortSignal): SendError {
  if (error instanceof SendError) return error;
  const cause = { cause: error };
  if (signal.aborted) return new SendError(`${hostname} took too long.`, { code: 'TIMEOUT' }, cause);
  const reason = error instanceof ProxyError ? `: ${error.message}` : ` (${codeOf(error)})`;
  const code: SendProblem = isTlsCode(codeOf(error)) ? 'TLS' : 'UNREACHABLE';
  return new SendError(`${hostname} could not be reached${reason}.`, { code }, cause);
}

function codeOf(error: unknown): string {
  if (error instanceof errors.SocketError) return 'connection closed';
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
