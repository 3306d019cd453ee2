export type EmbeddedPostgresCode =
  /** No PostgreSQL binaries for this system. */
  | 'UNSUPPORTED_PLATFORM'
  /** The binaries are there and do not run (another libc, a file system mounted noexec, …). */
  | 'BINARIES_UNUSABLE'
  /** Another process runs the embedded PostgreSQL of this data home. */
  | 'IN_USE'
  /** We are root and the machine has no account that PostgreSQL could run as. */
  | 'NO_ACCOUNT'
  /** The data belongs to another account than ours. */
  | 'DATA_OF_OTHER_USER'
  /** The account that PostgreSQL runs as cannot reach the data, or nothing it can reach is writable. */
  | 'DATA_UNREACHABLE'
  | 'INITDB_FAILED'
  /** The data has no password file of ours, so it was not made by us. */
  | 'FOREIGN_DATA'
  | 'START_FAILED';

/** Why the embedded PostgreSQL is not there. The message is one line and names the way out where there is one. */
export class EmbeddedPostgresError extends Error {
  readonly code: EmbeddedPostgresCode;
  constructor(code: EmbeddedPostgresCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedPostgresError';
    this.code = code;
  }
}
