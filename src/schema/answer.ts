/** Accounts for the bytes read for one response and written to it. Every producer of a part calls it first. */
export interface AnswerAccount {
  /** Reason to stop: too large, too slow, or the client is gone. `null` while the response may continue. */
  readonly error: Error | null;
  /** Counts bytes added to the response. Returns a promise to await first, if any. @throws ANSWER_TOO_LARGE or `error` */
  write(bytes: number): Promise<void> | undefined;
  /** Like `write`, for memory that is needed to build the response. No limit applies to it alone. */
  reserve(bytes: number): Promise<void> | undefined;
  /** Counts bytes read. On `false`, call `giveBack`, await `enlarge` and read again. @throws like `write` */
  read(bytes: number): boolean;
  /** Discounts bytes that were read but not kept. */
  giveBack(bytes: number): void;
  /** Waits until this may be one of the few large responses. @throws BUSY if they take too long */
  enlarge(): Promise<void>;
}
