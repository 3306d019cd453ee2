import { GraphQLError } from 'graphql';

export function badUserInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

export function notFound(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'NOT_FOUND' } });
}

export function answerTooLarge(limit: number): GraphQLError {
  const message = `The answer would have more than ${formatMiB(limit)}. Ask for smaller pages, for fewer large fields (alertData, content, conversation, request, response, result), or for one object at a time.`;
  return new GraphQLError(message, {
    extensions: { code: 'ANSWER_TOO_LARGE', limitBytes: limit, http: { status: 400 } },
  });
}

export function fieldTooLarge(name: string, limit: number): GraphQLError {
  const message = `The field ${name} has more than ${formatMiB(limit)}. Ask for the object without it.`;
  return new GraphQLError(message, { extensions: { code: 'ANSWER_TOO_LARGE', limitBytes: limit } });
}

/** Returns the error for overload: the same request may succeed later. `what` is the first sentence of the message. */
export function busy(what: string): GraphQLError {
  return new GraphQLError(`${what} Ask again in a few seconds.`, {
    extensions: {
      code: 'BUSY',
      retryAfterSeconds: BUSY_RETRY_S,
      http: { status: 503, headers: { 'Retry-After': String(BUSY_RETRY_S) } },
    },
  });
}

export function tookTooLong(what: string): GraphQLError {
  return new GraphQLError(
    `${what} took too long and was stopped. Ask for less: a smaller page, a narrower filter or a longer word.`,
    { extensions: { code: 'TOOK_TOO_LONG', http: { status: 503 } } },
  );
}

const BUSY_RETRY_S = 5;

function formatMiB(bytes: number): string {
  return `${bytes / (1024 * 1024)} MiB`;
}
