import { createTurns } from '../../resolvers/reads/turns.ts';
import type { AnswerAccount } from '../../schema/answer.ts';
import { answerTooLarge, busy } from '../../schema/errors.ts';

export interface LedgerLimits {
  /** Bytes that one answer may read, and bytes that it may have. */
  answerBytes: number;
  /** Bytes up to which an answer is small: any number are made at once. */
  smallBytes: number;
  /** Bytes of all small answers that are being made; those beyond wait as large ones do. */
  allSmallBytes: number;
  /** Large answers that are made at once, that may wait for that, and for how long (ms). */
  largeAtOnce: number;
  maxWaiting: number;
  waitMs: number;
}

export interface OpenAnswer extends AnswerAccount {
  /** Bytes that it says, so far. */
  readonly written: number;
  /** Ends it: whatever is still being made of it fails with this. */
  fail(error: Error): void;
  /** It is made, or failed: lets go of what it held. */
  close(): void;
}

/** Counts the bytes of all answers that are being made. */
export interface Ledger {
  /**
   * @param options.limit bytes that this one may read, and may have; default: the limit of answers
   * @param options.client whose it is: clients have their turns one after the other
   */
  open(options?: { limit?: number; client?: string }): OpenAnswer;
}

/**
 * Bounds the memory in which answers are made: small ones by their sum; of the large ones a few are made at once, each up
 * to the limit, and the others wait for their turn.
 */
export function createLedger(limits: LedgerLimits): Ledger {
  const { largeAtOnce, ...waiting } = limits;
  const turns = createTurns({ ...waiting, atOnce: largeAtOnce, tooMany: TOO_MANY });
  const small = { bytes: 0 };
  return {
    open: ({ limit = limits.answerBytes, client = '' } = {}) =>
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
  /** Part of `small`. */
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

  function giveUp(bytes: number): void {
    counted -= bytes;
    small.bytes -= bytes;
  }

  async function takeTurn(): Promise<void> {
    const taken = await nextTurn().catch((reason: Error) => {
      throw fail(reason);
    });
    if (closed) return taken();
    leave = taken;
    giveUp(counted); // the turn stands for all of it
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
      if (leave === null && !closed) giveUp(bytes);
    },
    enlarge,
    fail,
    close() {
      closed = true;
      fail(CLOSED);
      giveUp(counted);
      leave?.();
      leave = null;
    },
  };
}

/** One for all: nearly all answers end well, and where this was made says nothing. */
const CLOSED = new Error('the answer is closed');

const TOO_MANY = () => busy('Too many large answers are being made at once.');
