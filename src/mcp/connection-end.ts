export interface ConnectionEnd {
  /** Why the connection ended, such as "the server exited with code 1". */
  reason: string;
  /** True if this client ended the connection, for example because the server exceeded a limit. */
  byClient: boolean;
  /** Error that ended the connection, if any. */
  cause?: unknown;
}

/** Creates the record of a connection's end. Keeps the first end only, because each end causes others. */
export function createEndRecord() {
  let end: ConnectionEnd | null = null;
  return {
    /** Returns how the connection ended; `null` while connected. */
    end: (): ConnectionEnd | null => end,
    record(ended: ConnectionEnd): void {
      end ??= ended;
    },
  };
}
