import { types } from 'node:util';
import { createContext, Script } from 'node:vm';

// Only code that runs as a script can be stopped in the middle of a loop, or of a regular expression.
const scope = createContext({ work: null });
const script = new Script('work()');

/** What the work comes to; null when it takes longer than this (ms). Throws what the work throws. */
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

/** It is an error of the script's own world, of another class than ours. */
const isTimeout = (error: unknown): boolean =>
  types.isNativeError(error) && Reflect.get(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
