/**
 * What is counted while one answer is made: what is read for it and what it says, in bytes. Whoever makes a part of
 * it asks first.
 */
export interface AnswerAccount {
  /** Why there is no use in going on: the answer is too large, took too long, or nobody waits for it. */
  readonly error: Error | null;
  /**
   * Counts what the answer says more.
   * @returns what to wait for first, if anything
   * @throws ANSWER_TOO_LARGE, and whatever ended the answer
   */
  write(bytes: number): Promise<void> | undefined;
  /** As `write`, of memory that is needed to make the answer: it counts for no limit of its own. */
  reserve(bytes: number): Promise<void> | undefined;
  /** Counts what was read for it. False: first give it back, wait for `enlarge`, and read again. @throws as `write` */
  read(bytes: number): boolean;
  /** What was read is not kept. */
  giveBack(bytes: number): void;
  /** Waits for the right to be one of the few large answers. @throws BUSY when they take too long */
  enlarge(): Promise<void>;
}
