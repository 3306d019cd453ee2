import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { settlesWithin } from '../common/time-limit.ts';

/** A signal to send, and the time (ms) to wait before the next step. */
export interface StopStep {
  readonly signal: NodeJS.Signals;
  readonly graceMs: number;
}

export interface ManagedChild {
  readonly process: ChildProcess;
  /** Resolves with a description of how the process ended, such as `exit code 1`. Never rejects. */
  readonly exited: Promise<string>;
  /** Resolves when the output has ended, at the latest `OUTPUT_GRACE_MS` after the exit. */
  readonly drained: Promise<void>;
  stop(steps: readonly StopStep[]): Promise<void>;
}

/** Time (ms) to wait for the end of the output after the exit, because grandchildren can keep the pipe open. */
const OUTPUT_GRACE_MS = 500;

/** Spawns a process. A failure to start resolves `exited`, instead of emitting an `error` event. */
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
  // Ignores EPIPE from writing to an ended child, because `exited` reports the end.
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
