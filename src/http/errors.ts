import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { EngineError } from '../common/errors.ts';
import { isTransient } from '../db/transient.ts';
import type { Refusal } from './request-checks.ts';
import { REQUEST_ID_HEADER } from './request-id.ts';

/** Codes of what is no fault of the request. */
const MAY_PASS: readonly unknown[] = ['INTERNAL', 'DATABASE_UNAVAILABLE'];

/** A lost connection does not tell whether the database did what it was sent. */
const AWAY =
  'The database cannot be used now. Try again in a few seconds; of what changes something, look first whether it was done.';
const RETRY_AFTER_S = 5;

/** Whether what a client was told of an error may be over by the time it asks again. */
export const mayPass = (code: unknown): boolean => MAY_PASS.includes(code);

/**
 * What a client sees of an error: declared errors as they are, a request that makes no sense with the code
 * BAD_USER_INPUT, and everything else only as an id under which the log has the truth, the database being away apart.
 * @param requestId of the request on whose behalf it was called
 */
export function errorMasker(logger: Logger, requestId: () => string): (error: unknown) => GraphQLError {
  return (error) => {
    const cause = rootCause(error);
    if (cause instanceof EngineError) return located(error, cause.message, { code: cause.code });
    if (error instanceof GraphQLError && cause instanceof GraphQLError) {
      if (error.extensions.code !== undefined) return error;
      // Without a path it was raised before execution: the request is at fault, not a resolver.
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
    return located(error, AWAY, { code: 'DATABASE_UNAVAILABLE', correlationId, http });
  };
}

function rootCause(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError ? rootCause(error.originalError) : error;
}

function located(error: unknown, message: string, extensions: Record<string, unknown>): GraphQLError {
  const { nodes, source, positions, path } = error instanceof GraphQLError ? error : {};
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
}

/** Answers a request that never reaches GraphQL, in the shape of a GraphQL error. */
export function refuse(res: ServerResponse, status: number, code: string, message: string): void {
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' });
  res.end(refusalBody(code, message));
}

/** Answers a request for a WebSocket that is not to be, as `refuse` would. */
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
