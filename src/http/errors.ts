import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { ApiErrorCode } from '../common/error-codes/api.ts';
import { EngineError } from '../common/errors.ts';
import { isTransient } from '../db/transient.ts';
import type { Refusal } from './request-checks.ts';
import { REQUEST_ID_HEADER } from './request-id.ts';

const TEMPORARY_CODES: readonly unknown[] = ['INTERNAL', 'DATABASE_UNAVAILABLE'];

const DATABASE_UNAVAILABLE =
  'The database is unavailable. Try again in a few seconds. Before you repeat a change, check whether it was made.';
const RETRY_AFTER_S = 5;

/** True if a request that failed with this code may succeed when repeated. */
export const isTemporary = (code: unknown): boolean => TEMPORARY_CODES.includes(code);

/**
 * Returns a function that converts errors for clients. EngineErrors and coded GraphQLErrors keep their message; invalid
 * requests get BAD_USER_INPUT. All other errors are logged, and the client gets only a correlation id.
 */
export function errorMasker(logger: Logger, requestId: () => string): (error: unknown) => GraphQLError {
  return (error) => {
    const cause = rootCause(error);
    if (cause instanceof EngineError) return located(error, cause.message, { code: cause.code });
    if (error instanceof GraphQLError && cause instanceof GraphQLError) {
      if (error.extensions.code !== undefined) return error;
      // An error without a path was raised before execution, so the request is invalid.
      if (!error.path)
        return located(error, error.message, { code: 'BAD_USER_INPUT', http: { status: 400, spec: true } });
    }
    const correlationId = requestId();
    logger.error(
      { err: cause, correlationId, path: error instanceof GraphQLError ? error.path : undefined },
      'API error',
    );
    if (!isTransient(cause)) return located(error, 'Internal error', { code: 'INTERNAL', correlationId });
    const http = { status: 503, headers: { 'Retry-After': String(RETRY_AFTER_S) } };
    return located(error, DATABASE_UNAVAILABLE, { code: 'DATABASE_UNAVAILABLE', correlationId, http });
  };
}

function rootCause(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError ? rootCause(error.originalError) : error;
}

function located(error: unknown, message: string, extensions: Record<string, unknown>): GraphQLError {
  const { nodes, source, positions, path } = error instanceof GraphQLError ? error : {};
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
}

/** Refuses a request outside GraphQL, with the JSON body of a GraphQL error. */
export function refuse(res: ServerResponse, status: number, code: ApiErrorCode, message: string): void {
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' });
  res.end(refusalBody(code, message));
}

export function refuseUpgrade(socket: Duplex, requestId: string, { status, code, message }: Refusal): void {
  const body = refusalBody(code, message);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Connection: close',
    `${REQUEST_ID_HEADER}: ${requestId}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function refusalBody(code: string, message: string): string {
  return JSON.stringify({ errors: [{ message, extensions: { code } }] });
}
