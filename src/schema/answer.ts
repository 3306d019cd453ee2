/**
 * Accounts for the bytes that are read for one response and written to it. Every producer of a part calls it first.
 */
export interface AnswerAccount {
  /**
   * The reason to stop: the response is too large or too slow, or the client is gone. `null` while it may continue.
   */
  readonly error: Error | null;
  /**
   * Counts bytes that the response grows by.
   * @returns what to wait for first, if anything
   * @throws ANSWER_TOO_LARGE, or the error that ended the response
   */
  write(bytes: number): Promise<void> | undefined;
  /** Like `write`, for memory that is needed to build the response. It counts for no limit of its own. */
  reserve(bytes: number): Promise<void> | undefined;
  /**
   * Counts bytes read for the response. On `false`, call `giveBack`, wait for `enlarge`, and read again. @throws as
   * `write`
   */
  read(bytes: number): boolean;
  /** Discounts bytes that were read but not kept. */
  giveBack(bytes: number): void;
  /** Waits until this may be one of the few large responses. @throws BUSY if they take too long */
  enlarge(): Promise<void>;
}
