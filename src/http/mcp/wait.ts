import { setTimeout as delay } from 'node:timers/promises';
import type { ToolContext } from './tool.ts';

/** Interval (ms) between two looks at something that a call waits for. */
const LOOK_MS = 1_000;

/** Maximum time (s) that a call waits. Clients end calls without progress after about a minute. */
export const MAX_WAIT_S = 300;

interface Waiting<T> {
  read(): Promise<T>;
  isDone(value: T): boolean;
  /** Describes the state. Told as progress whenever it changes. */
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
  let told = '';
  for (;;) {
    const value = await read();
    if (isDone(value) || performance.now() >= end || signal.aborted) return value;
    const state = describe(value);
    if (state !== told) await progress(state);
    told = state;
    await delay(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}
