import { setTimeout as delay } from 'node:timers/promises';
import { WaitingForApprovalError } from '../common/interruptions.ts';
import type { SessionRun } from '../run-context/types.ts';
import { isDecided } from '../store/approvals.ts';
import { APPROVAL_LOOK_MS } from '../tunables.ts';

/** An agent's work in a stage; begun again it goes on where it stopped. */
export interface Piece<T> {
  executionId: string;
  work: (isAgain: boolean) => Promise<T>;
}

/**
 * Does the work of several agents to the end of each. One that waits for people goes on when they have decided, as long as another
 * of them runs; when none does any more, those that wait end with WaitingForApprovalError: all can be given back.
 */
export function sideBySide<T>(
  { db, signal }: Pick<SessionRun, 'db' | 'signal'>,
  pieces: readonly Piece<T>[],
): Promise<PromiseSettledResult<T>[]> {
  let running = pieces.length;

  async function toItsEnd({ executionId, work }: Piece<T>): Promise<T> {
    for (let isAgain = false; ; isAgain = true) {
      try {
        return await work(isAgain);
      } catch (error) {
        if (!(error instanceof WaitingForApprovalError)) throw error;
        running -= 1;
        while (!(await isDecided(db, executionId))) {
          signal.throwIfAborted();
          if (running === 0) throw error;
          await delay(APPROVAL_LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
        }
        running += 1;
      }
    }
  }

  return Promise.allSettled(
    pieces.map(async (piece) => {
      let waits = false;
      try {
        return await toItsEnd(piece);
      } catch (error) {
        waits = error instanceof WaitingForApprovalError;
        throw error;
      } finally {
        if (!waits) running -= 1; // who waits is not counted already
      }
    }),
  );
}
