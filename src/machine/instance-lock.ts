import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MachineError } from './errors.ts';
import { type FileLock, tryLockFile } from './file-lock.ts';
import { ensureHome } from './home.ts';
import { findNpm } from './parent-watch.ts';
import { isRunning } from './proc.ts';

export interface InstanceLock {
  /** Publishes the URL of this instance, for the error message of later starts. */
  announce(url: string): void;
  /** Marks this instance as stopping, so that later starts wait for its end. */
  leaving(): void;
  /** Releases the lock; idempotent. */
  release(): void;
}

interface Holder {
  readonly pid: number;
  /** Process id of the npm that started the holder. Once npm is gone, the holder stops too (see parent-watch). */
  readonly npmPid?: number;
  readonly url?: string;
  readonly leaving?: boolean;
}

/** Time (ms) to wait for a stopping holder, which requeues its sessions and lets PostgreSQL write a checkpoint. */
const LEAVING_LIMIT_MS = 30_000;
/** Time (ms) to wait for a holder without a record, which has just begun or is about to release the lock. */
const UNKNOWN_LIMIT_MS = 3_000;
const POLL_MS = 100;

/**
 * Locks the data home `home`. If the holder is stopping, waits for its end; if it has no record, for a moment.
 * @throws MachineError ALREADY_RUNNING, or the system's error if `home` cannot be written
 */
export async function acquireInstanceLock({ home }: { home: string }): Promise<InstanceLock> {
  const dir = ensureHome(home);
  const info = join(dir, 'instance.json');
  const lock = await untilLocked(join(dir, 'instance.lock'), info);
  const npmPid = findNpm();
  let self: Holder = { pid: process.pid, ...(npmPid !== undefined && { npmPid }) };
  const publish = (more: Partial<Holder>) => {
    self = { ...self, ...more };
    writeFileSync(`${info}.new`, JSON.stringify(self));
    renameSync(`${info}.new`, info);
  };
  publish({});
  let released = false;
  return {
    announce: (url) => publish({ url }),
    leaving: () => {
      if (!released) publish({ leaving: true });
    },
    release() {
      if (released) return;
      released = true;
      rmSync(info, { force: true });
      lock.release();
    },
  };
}

async function untilLocked(path: string, info: string): Promise<FileLock> {
  let [begun, limitMs] = [0, 0];
  for (;;) {
    const lock = tryLockFile(path);
    if (lock) return lock;
    const holder = readHolder(info);
    // Each kind of wait has its own time, because a holder that was stopping for long loses its record too.
    if (waitFor(holder) !== limitMs) [begun, limitMs] = [performance.now(), waitFor(holder)];
    if (performance.now() - begun >= limitMs) {
      const details = [holder && `pid ${holder.pid}`, holder?.url].filter(Boolean).join(', ');
      throw new MachineError(
        'ALREADY_RUNNING',
        `TARSy is already running${details && ` (${details})`}: stop it, or set TARSY_HOME to another folder`,
      );
    }
    await delay(POLL_MS);
  }
}

/** Returns how long to wait for a holder (ms); 0 if it keeps running. */
function waitFor(holder: Holder | undefined): number {
  if (holder === undefined) return UNKNOWN_LIMIT_MS;
  const isLeaving = holder.leaving || (holder.npmPid !== undefined && !isRunning(holder.npmPid));
  return isLeaving ? LEAVING_LIMIT_MS : 0;
}

function readHolder(info: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(info, 'utf8')) as Holder;
    return isRunning(holder.pid) ? holder : undefined;
  } catch {
    return undefined;
  }
}
