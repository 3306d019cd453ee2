import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from '../common/within.ts';

/** One step of stopping a process: the signal, and how long (ms) to wait before the next step. */
export interface StopStep {
  readonly signal: NodeJS.Signals;
  readonly graceMs: number;
}

export interface ManagedChild {
  readonly process: ChildProcess;
  /** Resolves, never rejects, with how the process ended, in words. */
  readonly exited: Promise<string>;
  /** Resolves once the output has been read to its end as well, or `OUTPUT_GRACE_MS` after the exit. */
  readonly drained: Promise<void>;
  /** Signals step by step until the process is gone. Safe to call when it already is. */
  stop(steps: readonly StopStep[]): Promise<void>;
}

/** Grandchildren can hold the pipe open long after the process itself is gone. */
const OUTPUT_GRACE_MS = 500;

/** Spawns a process whose end is a promise and whose failure to start is not an uncaught 'error' event. */
export function spawnManaged(command: string, args: readonly string[], options: SpawnOptions): ManagedChild {
  const child = spawn(command, args, options);
  let gone = false;
  const exited = new Promise<string>((resolve) => {
    const end = (reason: string) => {
      gone = true;
      resolve(reason);
    };
    child.once('exit', (code, signal) => end(signal ? `signal ${signal}` : `exit code ${code}`));
    child.on('error', (error) => {
      if (child.pid === undefined) end(`could not be started: ${error.message}`);
    });
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const drained = exited.then(() =>
    Promise.race([closed, delay(OUTPUT_GRACE_MS, undefined, { ref: false })]),
  );
  // A child that is gone makes its pipe fail with EPIPE; its end is told by `exited`.
  child.stdin?.on('error', () => {});

  return {
    process: child,
    exited,
    drained,
    async stop(steps) {
      for (const { signal, graceMs } of steps) {
        if (gone) return;
        child.kill(signal);
        await within(graceMs, exited);
      }
      await exited;
    },
  };
}
