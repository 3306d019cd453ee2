import { setTimeout as delay } from 'node:timers/promises';
import type { ToolContext } from './tool.ts';

/** Interval (ms) between two looks at something that a call waits for. */
const LOOK_MS = 1_000;

/** Interval (ms) at which an unchanged state is told again, because clients end calls without progress after about a minute. */
const REPEAT_MS = 5_000;

/** Maximum time (s) that a call waits. */
export const MAX_WAIT_S = 300;

interface Waiting<T> {
  read(): Promise<T>;
  isDone(value: T): boolean;
  /** Describes the state. Told as progress whenever it changes, and repeatedly meanwhile. */
  describe(value: T): string;
  /** At most `MAX_WAIT_S`. */
  seconds: number;
}

/** Reads until the value is done, the time is up, or the client is gone. @returns the last value */
export async function readUntil<T>(
  { read, isDone, describe, seconds }: Waiting<T>,
  { signal, progress }: Pick<ToolContext, 'signal' | 'progress'>,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  let told = { state: '', at: 0 };
  for (;;) {
    const value = await read();
    if (isDone(value) || performance.now() >= end || signal.aborted) return value;
    const state = describe(value);
    if (state !== told.state || performance.now() - told.at >= REPEAT_MS) {
      await progress(state);
      told = { state, at: performance.now() };
    }
    await delay(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}
