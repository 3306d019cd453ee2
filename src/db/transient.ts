/** How to retry a failed statement. An error without a `Transience` is final, because the statement itself is wrong. */
export type Transience =
  | 'REFUSED' // the statement had no effect, so it may be sent again
  | 'UNKNOWN'; // the statement may have been committed, so the caller must read the stored state before continuing

/** Transience by SQLSTATE (PostgreSQL, Appendix A) or system error code. */
const CODES: Readonly<Record<string, Transience>> = {
  '25006': 'REFUSED', // read-only server, such as a standby before its promotion
  '40001': 'REFUSED', // serialization failure
  '40P01': 'REFUSED', // deadlock
  '53000': 'REFUSED', // out of resources
  '53100': 'REFUSED', // disk full
  '53200': 'REFUSED', // out of memory
  '53300': 'REFUSED', // too many connections
  '55P03': 'REFUSED', // lock not available in time
  '57014': 'REFUSED', // statement cancelled, because it took too long
  '57P03': 'REFUSED', // the server is starting up, or shutting down
  '25P03': 'UNKNOWN', // connection closed: idle in a transaction for too long
  '57P01': 'UNKNOWN', // connection closed by the administrator
  '57P02': 'UNKNOWN', // the server crashed
  '57P05': 'UNKNOWN', // connection closed: idle for too long
  EAI_AGAIN: 'REFUSED',
  ECONNREFUSED: 'REFUSED',
  ENOTFOUND: 'REFUSED',
  ECONNABORTED: 'UNKNOWN',
  ECONNRESET: 'UNKNOWN',
  EHOSTDOWN: 'UNKNOWN',
  EHOSTUNREACH: 'UNKNOWN',
  ENETDOWN: 'UNKNOWN',
  ENETUNREACH: 'UNKNOWN',
  EPIPE: 'UNKNOWN',
  ETIMEDOUT: 'UNKNOWN',
};

/** Matches messages of pg and pg-pool errors without a code which mean that the statement was not sent. */
const NOT_SENT =
  /^(?:timeout exceeded when trying to connect|timeout expired$|Client (?:was closed|has encountered a connection error) and is not queryable)/;
const INTERRUPTED = /^Connection terminated|^Query read timeout/;

/** Returns whether and how a failed statement may be retried; `null` if a retry is useless. */
export function transienceOf(error: unknown): Transience | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall } = error as Error & { code?: unknown; syscall?: unknown };
  if (syscall === 'connect' || syscall === 'getaddrinfo') return 'REFUSED';
  if (typeof code === 'string') {
    const known = CODES[code];
    if (known) return known;
    if (code.startsWith('08')) return 'UNKNOWN'; // connection exception
  }
  if (NOT_SENT.test(error.message)) return 'REFUSED';
  return INTERRUPTED.test(error.message) ? 'UNKNOWN' : null;
}

/** True if a retry may succeed: the database is unreachable, busy or read-only for now. */
export function isTransient(error: unknown): boolean {
  return transienceOf(error) !== null;
}
