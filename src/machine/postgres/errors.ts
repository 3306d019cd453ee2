export type EmbeddedPostgresCode =
  /** No PostgreSQL binaries for this system. */
  | 'UNSUPPORTED_PLATFORM'
  /** The binaries do not run (another libc, a file system mounted noexec, …). */
  | 'BINARIES_UNUSABLE'
  /** Another process runs the embedded PostgreSQL of this data home. */
  | 'IN_USE'
  /** TARSy runs as root and the machine has no account for PostgreSQL. */
  | 'NO_ACCOUNT'
  /** The data belongs to another account. */
  | 'DATA_OF_OTHER_USER'
  /** PostgreSQL's account cannot reach the data, or no folder that it can reach is writable. */
  | 'DATA_UNREACHABLE'
  | 'INITDB_FAILED'
  /** The data has no password file, so TARSy did not create it. */
  | 'FOREIGN_DATA'
  | 'START_FAILED';

/** The embedded PostgreSQL is unavailable. The message is one line and says what to do, if something can be done. */
export class EmbeddedPostgresError extends Error {
  readonly code: EmbeddedPostgresCode;
  constructor(code: EmbeddedPostgresCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedPostgresError';
    this.code = code;
  }
}
