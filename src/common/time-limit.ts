import { types } from 'node:util';
import { createContext, Script } from 'node:vm';

// Only code that runs as a vm script can be interrupted within a loop or a regular expression.
const scope = createContext({ work: null });
const script = new Script('work()');

/** Returns the result of `work`; `null` if it takes longer than `limitMs`. Throws what `work` throws. */
export function withinTime<T>(limitMs: number, work: () => T): T | null {
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
