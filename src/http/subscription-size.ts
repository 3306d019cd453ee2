import { type ExecutionArgs, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { MAX_SUBSCRIPTION_LENGTH } from './tunables.ts';

/** What says how much text a subscription was asked for with. */
interface Asked {
  /** Characters of the message over WebSocket. */
  messageLength?: number;
  /** Over HTTP: the request keeps its whole body. */
  request?: Request;
  /** What was in a body that did not say how long it is, which is not kept, or in an address. */
  params?: unknown;
}

/**
 * Refuses subscriptions that are asked for with much text: all that a client sent is kept as long as its subscription
 * lives, comments, unused variables and what nobody reads included, and it may have many.
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
