/**
 * What an error of the database, or of the way to it, says about trying again: the one table of the program. What is not
 * here is final: the statement itself is wrong.
 *
 * `REFUSED`: it had no effect, so the same statement may simply be sent again.
 * `UNKNOWN`: the connection broke while it was under way, and it may have been committed: only who looks at what is
 * stored may go on.
 */
export type Transience = 'REFUSED' | 'UNKNOWN';

/** By SQLSTATE (PostgreSQL, Appendix A) or the platform's code. */
const CODES: Readonly<Record<string, Transience>> = {
  '25006': 'REFUSED', // read only: a standby, until it is promoted or the address leads elsewhere
  '40001': 'REFUSED', // serialization failure
  '40P01': 'REFUSED', // deadlock
  '53000': 'REFUSED', // out of resources …
  '53100': 'REFUSED', // … disk full
  '53200': 'REFUSED', // … out of memory
  '53300': 'REFUSED', // … too many connections
  '55P03': 'REFUSED', // a lock was not to be had in time
  '57014': 'REFUSED', // cancelled: it took too long
  '57P03': 'REFUSED', // the server is starting up, or shutting down
  '25P03': 'UNKNOWN', // idle in a transaction for too long
  '57P01': 'UNKNOWN', // the administrator ended the connection
  '57P02': 'UNKNOWN', // the server crashed
  '57P05': 'UNKNOWN', // idle for too long
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

/** Words of pg and pg-pool, which give no code. */
const NOT_SENT =
  /^(?:timeout exceeded when trying to connect|timeout expired$|Client (?:was closed|has encountered a connection error) and is not queryable)/;
const BROKEN_OFF = /^Connection terminated|^Query read timeout/;

/** @returns null when trying again is of no use */
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
  return BROKEN_OFF.test(error.message) ? 'UNKNOWN' : null;
}

/** Whether the same may succeed later: the database is away, busy or read only just now. */
export function isTransient(error: unknown): boolean {
  return transienceOf(error) !== null;
}
