import { setTimeout as delay } from 'node:timers/promises';
import { types } from 'node:util';
import { createContext, Script } from 'node:vm';

// Only code that runs as a vm script can be interrupted within a loop or a regular expression.
const scope = createContext({ work: null });
const script = new Script('work()');

/** Returns the result of `work`; `null` if it takes longer than `limitMs`. Throws what `work` throws. */
export function runWithTimeout<T>(limitMs: number, work: () => T): T | null {
  scope.work = work;
  try {
    return script.runInContext(scope, { timeout: limitMs });
  } catch (error) {
    if (isTimeout(error)) return null;
    throw error;
  } finally {
    scope.work = null;
  }
}

/** The error belongs to the script's own realm, so `instanceof Error` does not recognise it. */
const isTimeout = (error: unknown): boolean =>
  types.isNativeError(error) && Reflect.get(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** A time limit that can be paused while the work waits for something else. */
export interface TimeLimit {
  /** Aborts with a TimeoutError at the limit, or with the reason of the outer signal. */
  readonly signal: AbortSignal;
  pause(): void;
  restart(): void;
}

/** Starts a time limit (ms). @param around the outer signal */
export function createTimeLimit(around: AbortSignal, limitMs: number): TimeLimit {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const pause = () => clearTimeout(timer);
  const restart = () => {
    pause();
    const up = () => controller.abort(new DOMException('The time limit was reached.', 'TimeoutError'));
    timer = setTimeout(up, limitMs).unref();
  };
  restart();
  return { signal: AbortSignal.any([around, controller.signal]), pause, restart };
}

/**
 * Waits at most `limitMs` for `work`, which continues after the limit.
 * @returns true if it ended in time
 * @throws what `work` throws in time
 */
export async function settlesWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(limitMs, false, { signal: timer.signal }).catch(() => false); // aborted: in time
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    timer.abort();
  }
}
