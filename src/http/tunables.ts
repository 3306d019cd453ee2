/** Largest request body and WebSocket message (bytes): an alert of 1 MiB with every character escaped. */
export const MAX_REQUEST_BYTES = 6.5 * 1024 * 1024;
/** Largest text of a request without its escapes (UTF-8 bytes), because this text stays in memory. */
export const MAX_REQUEST_TEXT_BYTES = 2.5 * 1024 * 1024;
/**
 * Largest request that imports a case (bytes): a case of 8 MiB in which each byte is escaped, and the rest. Only viewers
 * who may import cases send more than MAX_REQUEST_BYTES.
 */
export const MAX_IMPORT_BYTES = 16.5 * 1024 * 1024;
/** Largest text of a request that imports a case, apart from the case itself (bytes). */
export const MAX_IMPORT_REST_BYTES = 64 * 1024;
/** Limits of requests above MAX_REQUEST_BYTES that are read at the same time, because each occupies up to 100 MiB. */
export const IMPORTS_AT_ONCE = { atOnce: 1, maxWaiting: 20, waitMs: 15_000 } as const;

/** Largest number of tokens of a document; the dashboard's largest document has less than a tenth of that. */
export const MAX_DOCUMENT_TOKENS = 4000;
/** Deepest nesting of brackets in a document, because the parser recurses; the introspection query has 10. */
export const MAX_DOCUMENT_DEPTH = 30;
/** Largest numbers of aliases, directives and operations of a document; the dashboard uses a handful. */
export const MAX_ALIASES = 100;
export const MAX_DIRECTIVES = 50;
export const MAX_OPERATIONS = 20;
/** Largest number of top-level fields of a mutation, because each is a transaction and they run in sequence. */
export const MAX_MUTATIONS = 10;
/**
 * Largest number of fields and fragments in one selection set. The largest type, Session, has less than half as many.
 */
export const MAX_SELECTIONS = 100;
/** Deepest nesting of fields, through fragments. The dashboard's deepest document has 8; introspection counts as 1. */
export const MAX_FIELD_DEPTH = 20;
/** Largest number of objects in an answer, as `weigh` estimates. The dashboard's whole trace counts as about 9,600. */
export const MAX_DOCUMENT_COST = 30_000;

/** Largest number of bytes that one answer may contain and may read. Memory use is up to six times as much. */
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
export const MAX_EVENT_BYTES = 4 * 1024 * 1024;
/** Limits of answers in progress. Large answers are made one at a time, which costs no speed on one processor. */
export const ANSWER_LIMITS = {
  answerBytes: MAX_ANSWER_BYTES,
  smallBytes: 2 * 1024 * 1024,
  allSmallBytes: 24 * 1024 * 1024,
  largeAtOnce: 1,
  maxWaiting: 100,
  waitMs: 15_000,
} as const;
export const MAX_UNREAD_BYTES = 32 * 1024 * 1024;
/** Longest time (ms) that a finished answer keeps its memory share and turn while its client reads it. */
export const SENDING_MS = 2_000;
export const MAX_ANSWER_MS = 30_000;
/** Numbers of reads and of searches that may wait for a connection. A read takes about 1 ms, a search up to seconds. */
export const MAX_READS_WAITING = 300;
export const MAX_SEARCHES_WAITING = 20;

/** Number of cached documents, and length of the longest one (characters). Clients send few different documents. */
export const MAX_CACHED_DOCUMENTS = 500;
export const MAX_CACHED_DOCUMENT_LENGTH = 16 * 1024;

/**
 * Longest subscription request (characters), because it stays in memory. The dashboard's longest has less than a tenth.
 */
export const MAX_SUBSCRIPTION_LENGTH = 16 * 1024;
/** Interval (ms) of pings on open streams, because proxies cut quiet ones after 30 to 60 s. */
export const KEEP_ALIVE_MS = 12_000;
export const WS_INIT_TIMEOUT_MS = 5_000;
export const SSE_RETRY_MS = 1_000;

export const HEALTH_TIMEOUT_MS = 3_000;
/** Time limits (ms) of a request's headers and of the whole request, against slow senders. */
export const HEADERS_TIMEOUT_MS = 10_000;
export const REQUEST_TIMEOUT_MS = 60_000;
/** Interval (ms) at which open connections are checked for credentials that were revoked or expired. */
export const CREDENTIAL_CHECK_MS = 400;
/** Time (ms) that a stop waits for open requests and streams before it cuts them. */
export const CLOSE_LIMIT_MS = 3_000;

/** Bytes buffered for one connection; beyond them the client is cut off, because it reads too slowly. */
export const MAX_BUFFERED_BYTES = 1024 * 1024;
/** Time (ms) that a closed WebSocket's client has to read the buffered messages and the close code. */
export const CLOSE_HANDSHAKE_MS = 10_000;
/** Largest live frame (bytes) that is copied into one write. For larger frames, two writes cost less than the copy. */
export const COPIED_FRAME_BYTES = 16 * 1024;
/** Delays (ms) between retries of an event whose reads fail temporarily: 20 s in all. */
export const EXECUTION_RETRY_MS = [100, 400, 1000, 2000, 3000, 3000, 5000, 5000] as const;

/** Smallest answer (bytes) that is compressed; a smaller one fits into one packet. */
export const COMPRESSED_FROM_BYTES = 1400;

export const MAX_DELIVERIES_AT_ONCE = 32;
/** Limits for reading deliveries before their sender is verified: bytes of all together, and time (ms) of each. */
export const MAX_DELIVERY_BYTES_HELD = 64 * 1024 * 1024;
export const DELIVERY_READ_MS = 15_000;

/** Limits of requests from Slack before their signature is checked: bytes of one and of all together, and time (ms). */
export const MAX_SLACK_BYTES = 1024 * 1024;
export const MAX_SLACK_BYTES_HELD = 16 * 1024 * 1024;
export const SLACK_READ_MS = 2_500;

/** Largest SCIM request (bytes); a group with 10,000 members has about 1 MB. */
export const MAX_SCIM_BYTES = 4 * 1024 * 1024;
/** Largest sum of SCIM requests that are being received (bytes). */
export const MAX_SCIM_BYTES_HELD = 16 * 1024 * 1024;
/** Time limit for receiving a SCIM request (ms). */
export const SCIM_READ_MS = 30_000;
