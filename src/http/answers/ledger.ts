import { createTurns } from '../../resolvers/reads/turns.ts';
import type { AnswerAccount } from '../../schema/context.ts';
import { answerTooLarge, busy } from '../../schema/errors.ts';

export interface LedgerLimits {
  /** Largest number of bytes that one answer may read from the database; also the largest size of the answer. */
  answerBytes: number;
  /** Largest size of a small answer (bytes). A larger answer waits for one of `largeAtOnce` turns. */
  smallBytes: number;
  /**
   * Largest sum of bytes of all small answers in progress. An answer that would exceed the sum waits for a turn too.
   */
  allSmallBytes: number;
  largeAtOnce: number;
  maxWaiting: number;
  waitMs: number;
}

export interface OpenAnswer extends AnswerAccount {
  readonly written: number;
  /** Fails the answer: its later reads and writes throw this error. */
  fail(error: Error): void;
  /** Ends the answer, successful or not, and releases its bytes and its turn. */
  close(): void;
}

export type Ledger = ReturnType<typeof createLedger>;

/** Creates the ledger that limits the memory of all answers: small answers by total size, large ones by number. */
export function createLedger(limits: LedgerLimits) {
  const { largeAtOnce, ...waiting } = limits;
  const turns = createTurns({ ...waiting, atOnce: largeAtOnce, tooMany: TOO_MANY });
  const small = { bytes: 0 };
  return {
    /** Opens the account of one answer. `limit` bounds both its bytes read and its bytes written. */
    open: ({ limit = limits.answerBytes, client = '' } = {}): OpenAnswer =>
      openAnswer(limits, limit, () => turns.take(client), small),
  };
}

function openAnswer(
  limits: LedgerLimits,
  limit: number,
  nextTurn: () => Promise<() => void>,
  small: { bytes: number },
): OpenAnswer {
  let error: Error | null = null;
  let read = 0;
  let written = 0;
  let counted = 0;
  let turn: Promise<void> | null = null;
  let leave: (() => void) | null = null;
  let closed = false;

  function fail(reason: Error): Error {
    error ??= reason;
    return error;
  }

  function hasRoom(bytes: number): boolean {
    if (leave !== null) return true;
    if (counted + bytes > limits.smallBytes || small.bytes + bytes > limits.allSmallBytes) return false;
    counted += bytes;
    small.bytes += bytes;
    return true;
  }

  function releaseShare(bytes: number): void {
    counted -= bytes;
    small.bytes -= bytes;
  }

  async function takeTurn(): Promise<void> {
    const taken = await nextTurn().catch((reason: Error) => {
      throw fail(reason);
    });
    if (closed) return taken();
    leave = taken;
    releaseShare(counted); // a large answer counts as a turn, not in the sum
  }

  const enlarge = () => {
    turn ??= takeTurn();
    return turn;
  };

  return {
    get error() {
      return error;
    },
    get written() {
      return written;
    },
    write(bytes) {
      if (error !== null) throw error;
      written += bytes;
      if (written > limit) throw fail(answerTooLarge(limit));
      return hasRoom(bytes) ? undefined : enlarge();
    },
    reserve: (bytes) => (hasRoom(bytes) ? undefined : enlarge()),
    read(bytes) {
      if (error !== null) throw error;
      if (read + bytes > limit) throw fail(answerTooLarge(limit));
      if (!hasRoom(bytes)) return false;
      read += bytes;
      return true;
    },
    giveBack(bytes) {
      read -= bytes;
      if (leave === null && !closed) releaseShare(bytes);
    },
    enlarge,
    fail,
    close() {
      closed = true;
      fail(CLOSED);
      releaseShare(counted);
      leave?.();
      leave = null;
    },
  };
}

/** Shared by all answers, because creating an error for each would cost time and its stack is useless. */
const CLOSED = new Error('the answer is closed');

const TOO_MANY = () => busy('Too many large answers are in progress.');
