import { setTimeout as delay } from 'node:timers/promises';
import { types } from 'node:util';
import { createContext, Script } from 'node:vm';

// A vm script, because only a script can be interrupted within a loop or a regular expression.
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

/** True for the script's timeout error, whose own realm keeps `instanceof Error` from recognising it. */
const isTimeout = (error: unknown): boolean =>
  types.isNativeError(error) && Reflect.get(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** A time limit for work; `pause` stops the clock while the work waits for something else, `restart` starts it at 0. */
export interface TimeLimit {
  /** Aborts with a TimeoutError at the limit, or with the reason of the outer signal. */
  readonly signal: AbortSignal;
  pause(): void;
  restart(): void;
}

/** Starts a time limit. @param around outer signal, whose abort also aborts the limit's signal */
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
 * Waits at most `limitMs` for `work`; the work continues after the limit.
 * @returns true if `work` ended in time
 * @throws what `work` throws in time
 */
export async function settlesWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(limitMs, false, { signal: timer.signal }).catch(() => false); // aborted if `work` ends in time
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    timer.abort();
  }
}
