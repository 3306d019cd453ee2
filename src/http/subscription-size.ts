import { type ExecutionArgs, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { MAX_SUBSCRIPTION_LENGTH } from './tunables.ts';

/** The parts of the context that tell the size of the request. */
interface Asked {
  /** The characters of the WebSocket message. */
  messageLength?: number;
  /** Over HTTP: the request, which keeps its whole body. */
  request?: Request;
  /** The parsed parameters: of a body without Content-Length, or of the address. */
  params?: unknown;
}

/**
 * Refuses subscriptions with too much text. Everything that a client sent, unused variables and comments included,
 * is kept as long as its subscription lives.
 */
export function limitSubscriptions(): Plugin {
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      const length = lengthOf((args as ExecutionArgs).contextValue as Asked);
      if (length > MAX_SUBSCRIPTION_LENGTH) setResultAndStopExecution({ errors: [tooLarge(length)] });
    },
  };
}

function lengthOf({ messageLength, request, params }: Asked): number {
  if (messageLength !== undefined) return messageLength;
  const body = Number(request?.headers.get('content-length') ?? 0);
  return Math.max(body, JSON.stringify(params ?? {}).length);
}

function tooLarge(length: number): GraphQLError {
  const message = `The subscription was asked for with ${length} characters, more than ${MAX_SUBSCRIPTION_LENGTH}, variables and comments included. Ask for less.`;
  return new GraphQLError(message, {
    extensions: { code: 'DOCUMENT_TOO_LARGE', http: { status: 400 } },
  });
}
