import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { McpConnectionError, McpTimeoutError } from './errors.ts';

/**
 * What went wrong with a call. Only `transport` is worth a fresh session: after a timeout the server is likely to hang
 * again, and a protocol error is the server's answer.
 */
export type FailureKind = 'transport' | 'timeout' | 'protocol' | 'other';

const RETRY_DELAY_MIN_MS = 250;
/** Spread, so that the calls of several agents do not come back at once. */
const RETRY_DELAY_SPREAD_MS = 500;

const TRANSPORT_CODES = new Set([
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
const TIMEOUT_CODES = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);
/** Session unknown to a restarted server, and what a proxy says of a server that is away. */
const TRANSPORT_STATUS = new Set([404, 502, 503, 504]);

/** `sessionClosed` tells a connection that broke from a server that answers with the same error number. */
export function classifyFailure(error: unknown, sessionClosed: boolean): FailureKind {
  if (error instanceof McpTimeoutError) return 'timeout';
  if (error instanceof McpConnectionError) return 'transport';
  if (error instanceof McpError) {
    if (error.code === ErrorCode.ConnectionClosed && sessionClosed) return 'transport';
    return error.code === ErrorCode.RequestTimeout ? 'timeout' : 'protocol';
  }
  if (error instanceof StreamableHTTPError)
    return TRANSPORT_STATUS.has(error.code ?? 0) ? 'transport' : 'protocol';
  if (error instanceof SseError) return 'transport';
  for (const code of codesOf(error)) {
    if (TIMEOUT_CODES.has(code)) return 'timeout';
    if (TRANSPORT_CODES.has(code)) return 'transport';
  }
  return sessionClosed ? 'transport' : 'other';
}

/** Error codes along the chain of causes, where fetch keeps the system's. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if ('code' in current && typeof current.code === 'string') codes.push(current.code);
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return codes;
}

/** A failure in words. Leaves out bodies of HTTP answers, addresses and command lines: they may hold secrets. */
export function describeFailure(error: unknown): string {
  if (error instanceof McpTimeoutError || error instanceof McpConnectionError) return error.message;
  if (error instanceof StreamableHTTPError || error instanceof SseError) {
    return error.code === undefined || error.code < 100
      ? 'the HTTP connection failed'
      : `HTTP status ${error.code}`;
  }
  if (error instanceof McpError) return error.message;
  if (error instanceof z.core.$ZodError) return 'its answer does not follow the protocol';
  const code = codesOf(error).at(-1);
  if (code !== undefined) return `it could not be reached (${code})`;
  return error instanceof Error ? error.message : 'unknown error';
}

/** How long to wait before the one retry. */
export function retryDelayMs(): number {
  return RETRY_DELAY_MIN_MS + Math.random() * RETRY_DELAY_SPREAD_MS;
}
