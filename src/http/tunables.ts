/** The largest request body and WebSocket message (bytes): an alert of 1 MiB with every character escaped. */
export const MAX_REQUEST_BYTES = 6.5 * 1024 * 1024;
/** The largest text of a request (bytes), each escape counted as its character: the size that stays in memory. */
export const MAX_REQUEST_TEXT_BYTES = 2.5 * 1024 * 1024;

/** The largest number of tokens of a document; the dashboard's largest has a tenth of that. */
export const MAX_DOCUMENT_TOKENS = 4000;
/** The deepest nesting of brackets in a document, because the parser recurses; introspection needs 14. */
export const MAX_DOCUMENT_DEPTH = 30;
/** The largest numbers of aliases, directives and operations of a document; the dashboard uses a handful. */
export const MAX_ALIASES = 100;
export const MAX_DIRECTIVES = 50;
export const MAX_OPERATIONS = 20;
/** The largest number of top-level fields of a mutation: each is a transaction, and they run in sequence. */
export const MAX_MUTATIONS = 10;
/** The largest number of fields and fragments side by side; the largest type has 29 fields. */
export const MAX_SELECTIONS = 100;
/** The deepest nesting of fields, across fragments. A trace with its conversations has 9, introspection 13. */
export const MAX_FIELD_DEPTH = 20;
/** The largest number of objects in an answer, as `weigh` estimates. A whole trace counts as 3,000. */
export const MAX_DOCUMENT_COST = 30_000;

/** The bytes that one answer may contain and may read. Memory use is up to six times that. */
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
export const MAX_EVENT_BYTES = 4 * 1024 * 1024;
/** The limits of answers made at once. Large answers take turns, which is as fast on one processor. */
export const ANSWER_LIMITS = {
  answerBytes: MAX_ANSWER_BYTES,
  smallBytes: 2 * 1024 * 1024,
  allSmallBytes: 24 * 1024 * 1024,
  largeAtOnce: 1,
  maxWaiting: 100,
  waitMs: 15_000,
} as const;
export const MAX_UNREAD_BYTES = 32 * 1024 * 1024;
/** The time (ms) that a large answer may take to be read before the next one starts. */
export const SENDING_MS = 2_000;
export const MAX_ANSWER_MS = 30_000;
/** The numbers of reads and searches that may wait for a connection. A read takes a millisecond, a search up to seconds. */
export const MAX_READS_WAITING = 300;
export const MAX_SEARCHES_WAITING = 20;

/** The number of cached documents, and the longest cached document (characters): clients send few different ones. */
export const MAX_CACHED_DOCUMENTS = 500;
export const MAX_CACHED_DOCUMENT_LENGTH = 16 * 1024;

/** The longest subscription request (characters), which stays in memory. The dashboard's largest has a tenth. */
export const MAX_SUBSCRIPTION_LENGTH = 16 * 1024;
/** The interval (ms) of pings on quiet streams; proxies cut them after 30 to 60 s. */
export const KEEP_ALIVE_MS = 12_000;
export const WS_INIT_TIMEOUT_MS = 5_000;
export const SSE_RETRY_MS = 1_000;

export const HEALTH_TIMEOUT_MS = 3_000;
/** The time limits (ms) of a request's headers and of the whole request, against slow senders. */
export const HEADERS_TIMEOUT_MS = 10_000;
export const REQUEST_TIMEOUT_MS = 60_000;
/** The interval (ms) of checks for expired credentials of open connections. */
export const CREDENTIAL_CHECK_MS = 400;
/** The time (ms) that a stop waits for open requests and streams before it cuts them. */
export const CLOSE_LIMIT_MS = 3_000;

/** The bytes buffered for one connection before its client is cut off: a minute at 200 messages a second. */
export const MAX_BUFFERED_BYTES = 1024 * 1024;
/** The time (ms) that a client being cut off has to read the rest, the close code last. */
export const CLOSE_HANDSHAKE_MS = 10_000;
/** The largest live frame (bytes) that is copied into one write; for larger frames two writes cost less than the copy. */
export const COPIED_FRAME_BYTES = 16 * 1024;
/** The delays (ms) between retries of an event's reads while the database is unavailable: 20 s in all. */
export const EXECUTION_RETRY_MS = [100, 400, 1000, 2000, 3000, 3000, 5000, 5000] as const;

/** The smallest answer (bytes) that is compressed; a smaller one fits into one packet. */
export const COMPRESSED_FROM_BYTES = 1400;

export const MAX_DELIVERIES_AT_ONCE = 32;
/** The limits of deliveries being read, because senders are unverified yet: bytes of all, and time (ms) of one. */
export const MAX_DELIVERY_BYTES_HELD = 64 * 1024 * 1024;
export const DELIVERY_READ_MS = 15_000;
