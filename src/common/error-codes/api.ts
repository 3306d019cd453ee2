import type { ErrorCodes } from './types.ts';

/** Codes of the types that implement `Error`, the refusals of mutations. Requests may have the same code. */
export const RESULT_ERRORS = {
  VALIDATION: {
    answer: '`ValidationError`',
    cause: 'The input is wrong; `field` names the part',
    remedy: 'Correct the field',
  },
  ALERT_TOO_LARGE: {
    answer: '`AlertTooLargeError`',
    cause: 'The alert has more than `maxBytes`',
    remedy: 'Send the part that matters, and say where to find the rest',
  },
  QUEUE_FULL: {
    answer: '`TooManyAlertsError`; deliveries: 503',
    cause: 'More sessions wait than [`queue.max_pending`](configuration/queue.md)',
    remedy: 'Send the alert again after `retryAfterSeconds`; add workers',
  },
  RATE_LIMITED: {
    answer: '`TooManyAlertsError`; deliveries: 503',
    cause: 'The sender exceeds [`queue.alerts_per_minute`](configuration/queue.md)',
    remedy: 'Send the alert again after `retryAfterSeconds`',
  },
  ALERT_NOT_INVESTIGATED: {
    answer: '`AlertNotInvestigatedError`',
    cause: 'The alert is stored but not investigated now; `decision` says why',
    remedy: 'See [why an alert is not investigated](../troubleshooting/alert-not-investigated.md)',
  },
  NOT_FOUND: {
    answer: '`NotFoundError`; requests: 200 or 404',
    cause:
      'The object does not exist, or the caller may not see it. Also: no WebSocket or source at this path',
    remedy: 'Correct the id or the path',
  },
  SILENCE_EXISTS: {
    answer: '`SilenceExistsError`',
    cause: 'An equal silence is active; `silence` is that silence',
    remedy: 'End that silence, or begin the new one at its end',
  },
  CONFLICT: {
    answer: '`ConflictError`',
    cause: 'The state of the object does not allow the change',
    remedy: 'Read the object again',
  },
  FORBIDDEN: {
    answer: '`ForbiddenError`; requests: 200 or 403',
    cause:
      'The role or the scopes of the caller do not allow this; `requiredRole` is the lowest role that does',
    remedy: 'Use an account or token with that role ([roles](../how-to/access/roles-and-teams.md))',
  },
  SHUTTING_DOWN: {
    answer: '`ShuttingDownError`; deliveries: 503',
    cause: 'The process is stopping',
    remedy: 'Send the request again in a few seconds',
  },
} as const satisfies ErrorCodes;

/** Codes in `extensions.code` of the errors of a request. */
export const REQUEST_ERRORS = {
  BAD_REQUEST: {
    answer: '400, 405',
    cause: 'The HTTP request is no GraphQL request, such as one without `query`',
    remedy: 'Send a POST with a JSON object',
  },
  PERSISTED_QUERY_NOT_SUPPORTED: {
    answer: '200, 400',
    cause: 'The request has a persisted query without its document',
    remedy: 'Send the document',
  },
  DOCUMENT_NOT_KNOWN: {
    answer: '200, 400',
    cause: '[`api.documents`](configuration/api.md) is `persisted`, and the document is unknown',
    remedy: 'Ask the operator to add the document, or use a token with the scope `ADMIN`',
  },
  CHECK_ELSEWHERE: {
    answer: '404',
    cause: '`/health?check=…` names a part that this process does not have',
    remedy: 'Ask the process that has the part',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    answer: '415',
    cause: 'The body is not JSON in UTF-8, or is compressed',
    remedy: 'Send `Content-Type: application/json`, uncompressed',
  },
  NOT_ACCEPTABLE: {
    answer: '406',
    cause: '`Accept` allows no form in which the answer can be sent',
    remedy: 'Accept `application/json`, or `text/event-stream` for subscriptions',
  },
  REQUEST_ENTITY_TOO_LARGE: {
    answer: '413',
    cause: 'The request has more than 2.5 MiB of text, or 6.5 MiB as sent, and imports no case',
    remedy: 'Send less in one request',
  },
  UNAUTHENTICATED: {
    answer: '401',
    cause: 'The proxy names no user, or is not trusted; or the token is wrong, expired or revoked',
    remedy: 'See [sign-in](../troubleshooting/sign-in.md), or create a [token](../how-to/access/tokens.md)',
  },
  AUTH_UNAVAILABLE: {
    answer: '503',
    cause: 'The database, which knows the tokens, is unavailable',
    remedy: 'Try again in a few seconds',
  },
  HOST_NOT_ALLOWED: {
    answer: '403',
    cause: 'The host name of the request is unknown',
    remedy: 'Add the name to [`system.allowed_hosts`](configuration/system.md)',
  },
  ORIGIN_NOT_ALLOWED: {
    answer: '403',
    cause: 'The page of another origin sent the request',
    remedy: 'Add the origin to [`system.allowed_origins`](configuration/system.md)',
  },
  TOO_MANY_CONNECTIONS: {
    answer: '429',
    cause: 'The client has more streams than [`system.streams`](configuration/system.md) allows',
    remedy: 'Close streams, or raise `connections_per_client`',
  },
  TOO_MANY_OPERATIONS: {
    answer: 'in the stream',
    cause: 'One WebSocket has more operations than [`system.streams`](configuration/system.md) allows',
    remedy: 'Complete operations, or raise `operations_per_connection`',
  },
  GRAPHQL_PARSE_FAILED: {
    answer: '200, 400',
    cause: 'The document is not valid GraphQL',
    remedy: 'Correct the document at the given location',
  },
  GRAPHQL_VALIDATION_FAILED: {
    answer: '200, 400',
    cause: 'The document does not fit the schema',
    remedy: 'Compare it with the [schema](../../schema.graphql)',
  },
  OPERATION_RESOLUTION_FAILURE: {
    answer: '400',
    cause: 'The document has several operations and the request names none of them, or an unknown one',
    remedy: 'Send `operationName`',
  },
  BAD_USER_INPUT: {
    answer: '200, 400',
    cause: 'Variables, cursors or filters are invalid',
    remedy: 'Correct them as the message says',
  },
  DOCUMENT_TOO_LARGE: {
    answer: '400',
    cause: 'The document exceeds the [limits](limits.md) of its size',
    remedy: 'Split it into several requests',
  },
  DOCUMENT_TOO_COSTLY: {
    answer: '400',
    cause: 'The document may cost more than the [limit](limits.md); `cost` and `limit` are in `extensions`',
    remedy: 'Ask for smaller pages or fewer fields',
  },
  ANSWER_TOO_LARGE: {
    answer: '200, 400',
    cause: 'The answer exceeds the [limit](limits.md). Nothing of it is sent, and a mutation stays done',
    remedy: 'Ask for smaller pages, fewer large fields, or one object at a time',
  },
  BUSY: {
    answer: '503; deliveries too',
    cause: 'Too many large answers, imports, reads, searches or deliveries wait already',
    remedy: 'Ask again after `extensions.retryAfterSeconds` or `Retry-After`',
  },
  TOOK_TOO_LONG: {
    answer: '503',
    cause: 'A search took 5 s, another read 10 s, or the whole request 30 s',
    remedy: 'Ask for less: a smaller page or a narrower filter',
  },
  DATABASE_UNAVAILABLE: {
    answer: '503',
    cause: 'The database is unavailable. A lost connection does not tell whether a mutation was done',
    remedy: 'Try again after `Retry-After` seconds; before you repeat a change, read the object',
  },
  INTERNAL: {
    answer: '200, 500',
    cause: 'TARSy has a defect',
    remedy: 'Find `extensions.correlationId` in the log of the server, and report it',
  },
} as const satisfies ErrorCodes;

/** Codes of refused deliveries to `/webhooks/<source>`, in addition to some of those above. */
export const DELIVERY_ERRORS = {
  BAD_PROOF: {
    answer: '401',
    cause: 'The proof of the delivery is missing, wrong or too old',
    remedy: 'Compare the secret of the sender with the [source](configuration/intake.md)',
  },
  METHOD_NOT_ALLOWED: {
    answer: '405',
    cause: 'The method is neither POST nor PUT',
    remedy: 'Let the sender use POST',
  },
  DELIVERY_TOO_LARGE: {
    answer: '413',
    cause: 'The delivery has more than 4 MiB or 5,000 alerts',
    remedy: 'Let the sender form smaller groups',
  },
  UNSUPPORTED_ENCODING: {
    answer: '415',
    cause: 'The body is compressed',
    remedy: 'Turn compression off at the sender',
  },
  UNREADABLE_DELIVERY: {
    answer: '422',
    cause:
      'The body is not JSON, or not in the format of the source’s `type`; the message begins with the place',
    remedy: 'Correct `type` or `mapping`; [try the delivery](../how-to/intake/try-a-delivery.md)',
  },
  NOT_STORED: {
    answer: '503',
    cause: 'The database is unavailable, or the process failed',
    remedy: 'The sender repeats the delivery after `Retry-After`',
  },
  TOO_SLOW: {
    answer: '503',
    cause: 'The delivery did not arrive within 15 s',
    remedy: 'The sender repeats the delivery after `Retry-After`',
  },
  PROOF_UNAVAILABLE: {
    answer: '503',
    cause: 'The certificate of SNS cannot be fetched now',
    remedy: 'The sender repeats the delivery; allow requests to `sns.<region>.amazonaws.com`',
  },
} as const satisfies ErrorCodes;

/** Code in an answer of the API or of `/webhooks`. */
export type ApiErrorCode =
  | keyof typeof RESULT_ERRORS
  | keyof typeof REQUEST_ERRORS
  | keyof typeof DELIVERY_ERRORS;
