/**
 * Bytes of a request's body, and of one WebSocket message. An alert of 1 MiB is six times that when each of its
 * characters is escaped as JSON (`\u0041`); the rest is the document around it.
 */
export const MAX_REQUEST_BYTES = 6.5 * 1024 * 1024;

/** Bytes of the same with each escape counted as what it stands for: what is kept of it in memory. */
export const MAX_REQUEST_TEXT_BYTES = 2.5 * 1024 * 1024;

/** Tokens of a GraphQL document; the dashboard's largest has a tenth of that. */
export const MAX_DOCUMENT_TOKENS = 4000;

/** Nested brackets in a GraphQL document; introspection needs 14. The parser recurses, so there must be an end. */
export const MAX_DOCUMENT_DEPTH = 30;

/** Of a document as a whole: other names for fields, directives, operations. The dashboard's have a handful. */
export const MAX_ALIASES = 100;
export const MAX_DIRECTIVES = 50;
export const MAX_OPERATIONS = 20;

/** Fields at the top of a mutation: each is a transaction of its own, and they run one after the other. */
export const MAX_MUTATIONS = 10;

/** Fields and fragments side by side; the type with most fields has 29. */
export const MAX_SELECTIONS = 100;

/** Fields within each other, across fragments. A trace with its conversations has 9, introspection 13. */
export const MAX_FIELD_DEPTH = 20;

/** Objects in an answer, as `weigh` estimates them. A whole trace counts as 3,000. */
export const MAX_DOCUMENT_COST = 30_000;

/**
 * Bytes that one answer may have, and may read: several traces. In memory it is up to six times as much: rows, objects, JSON
 * of two bytes a character, and what is sent.
 */
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;

/** Bytes that one event of a subscription may have, and may read. */
export const MAX_EVENT_BYTES = 4 * 1024 * 1024;

/**
 * How many answers are made at once: small ones (a page of sessions has some hundred kB) as many as come, up to a sum; large
 * ones one after the other, which is as fast on one processor as several at once.
 */
export const ANSWER_LIMITS = {
  answerBytes: MAX_ANSWER_BYTES,
  smallBytes: 2 * 1024 * 1024,
  allSmallBytes: 24 * 1024 * 1024,
  largeAtOnce: 1,
  maxWaiting: 100,
  waitMs: 15_000,
} as const;

/** Bytes of answers that wait for their clients to read them, together. */
export const MAX_UNREAD_BYTES = 32 * 1024 * 1024;

/** Milliseconds that a large answer may take to be read before the next one is made all the same. */
export const SENDING_MS = 2_000;

/** Milliseconds after which a query is given up, whatever it waits for. */
export const MAX_ANSWER_MS = 30_000;

/**
 * What may wait for a connection to read with. Reads take a millisecond; searches up to seconds, and few are made at
 * once.
 */
export const MAX_READS_WAITING = 300;
export const MAX_SEARCHES_WAITING = 20;

/** Parsed documents that are kept, and the characters up to which one is: clients send few different ones. */
export const MAX_CACHED_DOCUMENTS = 500;
export const MAX_CACHED_DOCUMENT_LENGTH = 16 * 1024;

/**
 * Characters that a subscription may be asked for with, all that comes along included: they are kept as long as it lives, and a
 * client may have thousands. The dashboard's largest has a tenth of that.
 */
export const MAX_SUBSCRIPTION_LENGTH = 16 * 1024;

/** Milliseconds between the pings that keep a quiet stream alive through proxies (they cut at 30 to 60 s). */
export const KEEP_ALIVE_MS = 12_000;

/** Milliseconds a client has to send connection_init on a new WebSocket. */
export const WS_INIT_TIMEOUT_MS = 5_000;

/** Milliseconds after which an SSE client reconnects; it is told so. */
export const SSE_RETRY_MS = 1_000;

/** Milliseconds for one health check; a check that hangs is a failed one. */
export const HEALTH_TIMEOUT_MS = 3_000;

/** Milliseconds to receive a request's headers, and its whole: slow senders must not hold connections. */
export const HEADERS_TIMEOUT_MS = 10_000;
export const REQUEST_TIMEOUT_MS = 60_000;

/** Milliseconds between looks whether those whose connections are open may still be let in. */
export const ENDINGS_MS = 400;

/** Milliseconds that a stop waits for requests and streams to end before it cuts their connections. */
export const CLOSE_LIMIT_MS = 3_000;

/**
 * Bytes that may wait for one connection before its client is cut off: at 200 pieces a second about a minute of one
 * session. More than a proxy or a phone that changes networks needs, and small enough for hundreds of them.
 */
export const MAX_BUFFERED_BYTES = 1024 * 1024;

/** Milliseconds that a client that is being cut off has to read what waits, the close code last. */
export const CLOSE_HANDSHAKE_MS = 10_000;

/** Live frames up to this many bytes are copied into one write: two writes cost more than the copy. */
export const COPIED_FRAME_BYTES = 16 * 1024;

/** Milliseconds between attempts to read what an event needs while the database is away: 20 s in all. */
export const EXECUTION_RETRY_MS = [100, 400, 1000, 2000, 3000, 3000, 5000, 5000] as const;

/** Bytes of an answer from which it is compressed: a smaller one fits into one packet anyway. */
export const COMPRESSED_FROM_BYTES = 1400;

/** Deliveries of monitoring systems that are stored at once: 4 MiB each at most. */
export const MAX_DELIVERIES_AT_ONCE = 32;

/**
 * Bytes of deliveries that are being read, together, and milliseconds that one may take: who has proven nothing yet holds
 * neither a place among those that are stored nor memory for long. 4 MiB in that time is 2 Mbit/s.
 */
export const MAX_DELIVERY_BYTES_HELD = 64 * 1024 * 1024;
export const DELIVERY_READ_MS = 15_000;
