import {
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { ProxyError } from '../outgoing/errors.ts';
import { McpConnectionError, McpTimeoutError } from './errors.ts';

/** Kind of a failed call. Only `transport` justifies a new session; after a timeout, the server may still hang. */
export type FailureKind = 'transport' | 'timeout' | 'protocol' | 'other';

const RETRY_DELAY_MIN_MS = 250;
/** Maximum random part of the retry delay (ms), so that agents do not all retry at the same time. */
const RETRY_DELAY_SPREAD_MS = 500;

const UNREACHABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'PROXY_UNAVAILABLE',
]);
const TRANSPORT_CODES = new Set<string>([
  ...UNREACHABLE_CODES,
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
]);
const TIMEOUT_CODES = new Set<string>([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  SdkErrorCode.RequestTimeout,
]);
const UNREACHABLE_STATUS = new Set([502, 503, 504]);
/** HTTP status of a server that does not know the MCP session, by the protocol. */
const UNKNOWN_SESSION_STATUS = 404;
const TRANSPORT_STATUS = new Set([UNKNOWN_SESSION_STATUS, ...UNREACHABLE_STATUS]);
/** HTTP statuses that ask to wait. They say nothing about the session. */
const BUSY_STATUS = new Set([408, 429]);
const INTERNAL_ERROR = -32_603;
const NAMES_SESSION = /session|initiali[sz]/i;
const CONNECT_CALLS = new Set(['connect', 'getaddrinfo']);
const UNSENT_CODES = new Set<string>(['UND_ERR_CONNECT_TIMEOUT', SdkErrorCode.NotConnected]);
/** Matches the message of a failed TLS handshake, because its code is also that of a connection that broke later. */
const NO_HANDSHAKE = /before secure TLS connection was established/;

/** Returns the kind of a failure. @param sessionClosed true if an error of unknown kind is a broken connection */
export function classifyFailure(thrown: unknown, sessionClosed: boolean): FailureKind {
  const error = underlying(thrown);
  if (error instanceof McpTimeoutError) return 'timeout';
  if (error instanceof McpConnectionError) return 'transport';
  if (error instanceof ProtocolError) return 'protocol';
  if (error instanceof SseError) return 'transport';
  const status = httpStatus(error);
  if (status !== null) return TRANSPORT_STATUS.has(status) ? 'transport' : 'protocol';
  if (hadNoConnection(error)) return 'transport';
  for (const code of codesOf(error)) {
    if (TIMEOUT_CODES.has(code)) return 'timeout';
    if (TRANSPORT_CODES.has(code)) return 'transport';
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) return 'protocol';
  return sessionClosed ? 'transport' : 'other';
}

/** Refusal of a request by a server that answers. */
export interface Refusal {
  /** The HTTP status or the code of JSON-RPC. Equal refusals of different requests have the same cause. */
  code: string;
  /** True if the refusal can come from a tool that failed halfway. */
  mayBeInternal: boolean;
}

/** Returns how a server refused a request; `null` for other failures and for statuses that have their own meaning. */
export function refusalOf(thrown: unknown): Refusal | null {
  const error = underlying(thrown);
  const text = error instanceof Error ? error.message : '';
  if (error instanceof ProtocolError) {
    const mayBeInternal = error.code === INTERNAL_ERROR && !NAMES_SESSION.test(text);
    return { code: `error ${error.code}`, mayBeInternal };
  }
  const status = error instanceof UnauthorizedError ? 401 : (httpStatus(error) ?? 0);
  if (status < 400 || TRANSPORT_STATUS.has(status) || BUSY_STATUS.has(status)) return null;
  return { code: `status ${status}`, mayBeInternal: status >= 500 && !NAMES_SESSION.test(text) };
}

export function wasNeverSent(error: unknown): boolean {
  return httpStatus(rootOf(error)) === UNKNOWN_SESSION_STATUS || hadNoConnection(error);
}

function hadNoConnection(error: unknown): boolean {
  return chainOf(error).some(
    (link) =>
      (link instanceof McpConnectionError && link.neverSent) ||
      link instanceof ProxyError ||
      CONNECT_CALLS.has(textOf(link, 'syscall')) ||
      UNSENT_CODES.has(textOf(link, 'code')) ||
      NO_HANDSHAKE.test(link.message),
  );
}

/** True if the connection broke without an HTTP answer and this client did not end it. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof McpConnectionError && error.endedByClient) return false;
  return httpStatus(rootOf(error)) === null;
}

/** True if a remote server is unreachable, as during a restart; false if the server is reachable and fails. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof McpConnectionError && error.endedByClient) return false;
  const root = rootOf(error);
  if (root instanceof SseError) return root.code === undefined || UNREACHABLE_STATUS.has(root.code);
  return (
    UNREACHABLE_STATUS.has(httpStatus(root) ?? 0) ||
    codesOf(error).some((code) => UNREACHABLE_CODES.has(code))
  );
}

function rootOf(error: unknown): unknown {
  return error instanceof McpConnectionError && error.cause !== undefined ? error.cause : error;
}

/** Returns the cause of a failed version probe, otherwise the error itself. */
function underlying(error: unknown): unknown {
  const wrapped = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
  return wrapped && error.cause !== undefined ? error.cause : error;
}

function httpStatus(error: unknown): number | null {
  if (error instanceof SdkHttpError) return error.status;
  // Ignores protocol errors, because their message is the tool's text, which may mention any status.
  if (!(error instanceof Error) || error instanceof ProtocolError) return null;
  // Errors of the SSE transport have the status only in their message.
  const match = /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(error.message);
  return match === null ? null : Number(match[1]);
}

function codesOf(error: unknown): string[] {
  return chainOf(error).flatMap((link) => textOf(link, 'code') || []);
}

/** Returns an error and its causes, at most five. Continues with the first error of an AggregateError. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  let current = error;
  while (chain.length < 5 && current instanceof Error) {
    chain.push(current);
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return chain;
}

function textOf(error: Error, key: 'code' | 'syscall'): string {
  const value: unknown = Reflect.get(error, key);
  return typeof value === 'string' ? value : '';
}

/** Describes a failure. Leaves out HTTP bodies, addresses and command lines, because they may contain secrets. */
export function describeFailure(thrown: unknown): string {
  const error = underlying(thrown);
  if (error instanceof McpTimeoutError || error instanceof McpConnectionError) return error.message;
  if (error instanceof ProtocolError) return `MCP error ${error.code}: ${error.message}${dataOf(error)}`;
  const status = error instanceof SseError ? (error.code ?? 0) : httpStatus(error);
  if (status !== null) return describeStatus(status);
  if (error instanceof UnauthorizedError) return 'HTTP status 401';
  if (error instanceof OAuthError) return `no token was granted (${error.code})`;
  if (error instanceof OAuthClientFlowError) return 'the authorization server cannot be used as configured';
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
    return 'the answer does not follow the protocol';
  const proxyError = chainOf(error).find((link) => link instanceof ProxyError);
  if (proxyError) return proxyError.message;
  const code = codesOf(error).at(-1);
  if (code === SdkErrorCode.ClientHttpUnexpectedContent) return NOT_MCP;
  if (code?.startsWith('CLIENT_HTTP')) return 'the HTTP connection failed';
  if (code !== undefined) return `the server could not be reached (${code})`;
  return error instanceof Error ? error.message : 'unknown error';
}

const NOT_MCP = 'the server answered with something other than MCP, such as a web page';

function describeStatus(status: number): string {
  if (status < 200) return 'the HTTP connection failed';
  if (status < 300) return NOT_MCP;
  return status < 400 ? `HTTP status ${status}; redirects are not followed` : `HTTP status ${status}`;
}

function dataOf({ data }: ProtocolError): string {
  if (data === undefined || data === null) return '';
  try {
    return ` (${typeof data === 'string' ? data : JSON.stringify(data)})`;
  } catch {
    return ''; // nested too deeply for JSON
  }
}

export function retryDelayMs(): number {
  return RETRY_DELAY_MIN_MS + Math.random() * RETRY_DELAY_SPREAD_MS;
}
