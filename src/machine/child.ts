import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { settlesWithin } from '../common/time-limit.ts';

/** A signal to send, and the milliseconds to wait before the next step. */
export interface StopStep {
  readonly signal: NodeJS.Signals;
  readonly graceMs: number;
}

export interface ManagedChild {
  readonly process: ChildProcess;
  /** Resolves with how the process ended, in words; never rejects. */
  readonly exited: Promise<string>;
  /** Resolves at the end of the output, at most `OUTPUT_GRACE_MS` after the exit. */
  readonly drained: Promise<void>;
  stop(steps: readonly StopStep[]): Promise<void>;
}

/** Limit for the end of the output (ms), because grandchildren can keep the pipe open. */
const OUTPUT_GRACE_MS = 500;

/** Spawns a process. `exited` also reports a failure to start, instead of an 'error' event. */
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
  // The pipe of an ended child fails with EPIPE; `exited` reports the end.
  child.stdin?.on('error', () => {});

  return {
    process: child,
    exited,
    drained,
    async stop(steps) {
      for (const { signal, graceMs } of steps) {
        if (gone) return;
        child.kill(signal);
        await settlesWithin(graceMs, exited);
      }
      await exited;
    },
  };
}
