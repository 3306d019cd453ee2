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
import { McpConnectionError, McpTimeoutError } from './errors.ts';

/**
 * What went wrong with a call. Only `transport` is worth a fresh session: after a timeout the server is likely to hang
 * again, and a protocol error is the server's answer.
 */
export type FailureKind = 'transport' | 'timeout' | 'protocol' | 'other';

const RETRY_DELAY_MIN_MS = 250;
/** Spread, so that the calls of several agents do not come back at once. */
const RETRY_DELAY_SPREAD_MS = 500;

/** Of a server that is not there. */
const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
]);
const TRANSPORT_CODES = new Set<string>([
  ...AWAY_CODES,
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
/** What a proxy says of a server that is away. */
const AWAY_STATUS = new Set([502, 503, 504]);
/** … and what one that was restarted says of a session. */
const TRANSPORT_STATUS = new Set([404, ...AWAY_STATUS]);
/** Servers answer with either when they do not know a session; the protocol says 404. */
const LOST_SESSION_STATUS = new Set([400, 404]);
/** What the system was asked for when a connection could not be made. */
const CONNECT_CALLS = new Set(['connect', 'getaddrinfo']);
/** Errors that come before anything is sent. */
const UNSENT_CODES = new Set<string>(['UND_ERR_CONNECT_TIMEOUT', SdkErrorCode.NotConnected]);
/** Node gives it the code of a connection that broke later. */
const NO_HANDSHAKE = /before secure TLS connection was established/;

/** `sessionClosed` tells a connection that broke from a server that answers with the same error number. */
export function classifyFailure(thrown: unknown, sessionClosed: boolean): FailureKind {
  const error = underlying(thrown);
  if (error instanceof McpTimeoutError) return 'timeout';
  if (error instanceof McpConnectionError) return 'transport';
  if (error instanceof ProtocolError) return 'protocol';
  if (error instanceof SseError) return 'transport';
  const status = httpStatus(error);
  if (status !== null) return TRANSPORT_STATUS.has(status) ? 'transport' : 'protocol';
  if (neverLeft(error)) return 'transport';
  for (const code of codesOf(error)) {
    if (TIMEOUT_CODES.has(code)) return 'timeout';
    if (TRANSPORT_CODES.has(code)) return 'transport';
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) return 'protocol';
  return sessionClosed ? 'transport' : 'other';
}

/** Whether an error is what a server says of a session it does not know; asked only of one that has sessions. */
export function isLostSession(error: unknown): boolean {
  return LOST_SESSION_STATUS.has(httpStatus(underlying(error)) ?? 0);
}

/** Whether a request that failed is known not to have reached the server's tools. */
export function wasNotSent(error: unknown): boolean {
  const root = rootOf(error);
  return isLostSession(root) || neverLeft(root);
}

/** Whether there was no connection that what was to be sent could have left by. */
function neverLeft(error: unknown): boolean {
  return chainOf(error).some(
    (link) =>
      (link instanceof McpConnectionError && link.isUnsent) ||
      CONNECT_CALLS.has(textOf(link, 'syscall')) ||
      UNSENT_CODES.has(textOf(link, 'code')) ||
      NO_HANDSHAKE.test(link.message),
  );
}

/** Whether the connection broke by itself, rather than that somebody answered or that it was cut off by us. */
export function isBroken(error: unknown): boolean {
  if (error instanceof McpConnectionError && error.isOurs) return false;
  return httpStatus(rootOf(error)) === null;
}

/** Whether a server over HTTP is not there, as one that is restarted, rather than there and failing. */
export function isAway(error: unknown): boolean {
  if (error instanceof McpConnectionError && error.isOurs) return false;
  const root = rootOf(error);
  if (root instanceof SseError) return root.code === undefined || AWAY_STATUS.has(root.code);
  return AWAY_STATUS.has(httpStatus(root) ?? 0) || codesOf(error).some((code) => AWAY_CODES.has(code));
}

/** What our own error was made of. */
function rootOf(error: unknown): unknown {
  return error instanceof McpConnectionError && error.cause !== undefined ? error.cause : error;
}

/** What made the SDK's question for the protocol's version fail, instead of that it did. */
function underlying(error: unknown): unknown {
  const wrapped = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
  return wrapped && error.cause !== undefined ? error.cause : error;
}

/** The status of an answer over HTTP that is an error; null for other errors. */
function httpStatus(error: unknown): number | null {
  if (error instanceof SdkHttpError) return error.status;
  // The text of a server's answer is the tool's: it may tell of any status, as one that relays others does.
  if (!(error instanceof Error) || error instanceof ProtocolError) return null;
  // What the SSE transport throws has the status in its text alone.
  const told = /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(error.message);
  return told === null ? null : Number(told[1]);
}

/** Error codes along the chain of causes, where fetch keeps the system's. */
function codesOf(error: unknown): string[] {
  return chainOf(error).flatMap((link) => textOf(link, 'code') || []);
}

/** An error and its causes; of several at once the first. */
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

/** A failure in words. Leaves out bodies of HTTP answers, addresses and command lines: they may hold secrets. */
export function describeFailure(thrown: unknown): string {
  const error = underlying(thrown);
  if (error instanceof McpTimeoutError || error instanceof McpConnectionError) return error.message;
  if (error instanceof ProtocolError) return `MCP error ${error.code}: ${error.message}${dataOf(error)}`;
  const status = error instanceof SseError ? (error.code ?? 0) : httpStatus(error);
  if (status !== null) return status < 300 ? 'the HTTP connection failed' : `HTTP status ${status}`;
  if (error instanceof UnauthorizedError) return 'HTTP status 401';
  if (error instanceof OAuthError) return `no token was granted (${error.code})`;
  if (error instanceof OAuthClientFlowError)
    return 'its authorization server cannot be used as it is configured';
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
    return 'its answer does not follow the protocol';
  const code = codesOf(error).at(-1);
  if (code?.startsWith('CLIENT_HTTP')) return 'the HTTP connection failed';
  if (code !== undefined) return `it could not be reached (${code})`;
  return error instanceof Error ? error.message : 'unknown error';
}

/** What a server adds to its error, such as which argument is wrong. */
function dataOf({ data }: ProtocolError): string {
  if (data === undefined || data === null) return '';
  try {
    return ` (${typeof data === 'string' ? data : JSON.stringify(data)})`;
  } catch {
    return ''; // nested too deeply
  }
}

/** How long to wait before the one retry. */
export function retryDelayMs(): number {
  return RETRY_DELAY_MIN_MS + Math.random() * RETRY_DELAY_SPREAD_MS;
}
