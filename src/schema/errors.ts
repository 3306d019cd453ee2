import { GraphQLError } from 'graphql';

/** An argument that makes no sense; the message says what would. */
export function badUserInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

/** The thing that the request is about does not exist. */
export function notFound(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'NOT_FOUND' } });
}

/** The answer is larger than it may be; nothing of it is sent. */
export function answerTooLarge(limit: number): GraphQLError {
  const message = `The answer would have more than ${formatMiB(limit)}. Ask for smaller pages, for fewer large fields (alertData, content, conversation, request, response, result), or for one object at a time.`;
  return new GraphQLError(message, {
    extensions: { code: 'ANSWER_TOO_LARGE', limitBytes: limit, http: { status: 400 } },
  });
}

/** One field's value is larger than it may be. */
export function fieldTooLarge(name: string, limit: number): GraphQLError {
  const message = `The field ${name} has more than ${formatMiB(limit)}. Ask for the object without it.`;
  return new GraphQLError(message, { extensions: { code: 'ANSWER_TOO_LARGE', limitBytes: limit } });
}

/** Too much of this kind is under way. `what` begins the message; the same request may succeed later. */
export function busy(what: string): GraphQLError {
  return new GraphQLError(`${what} Ask again in a few seconds.`, {
    extensions: {
      code: 'BUSY',
      retryAfterSeconds: BUSY_RETRY_S,
      http: { status: 503, headers: { 'Retry-After': String(BUSY_RETRY_S) } },
    },
  });
}

/** Reading took longer than it may. */
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
