import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type FileLock, tryLockFile } from './file-lock.ts';
import { ensureHome } from './home.ts';
import { findNpm } from './parent-watch.ts';
import { isRunning } from './proc.ts';

/** The exclusive right to run TARSy on one data home. */
export interface InstanceLock {
  /** Publishes the URL of this instance for the error message of later starts. */
  announce(url: string): void;
  /** Announces that this instance is stopping, so that later starts wait for it. Call when a stop begins. */
  leaving(): void;
  /** Releases the lock; idempotent. */
  release(): void;
}

/** Another TARSy runs on this data home; nothing was changed. */
export class AlreadyRunningError extends Error {
  readonly code = 'ALREADY_RUNNING';
  constructor(holder: Holder | undefined) {
    const details = [holder && `pid ${holder.pid}`, holder?.url].filter(Boolean).join(', ');
    super(`TARSy is already running${details ? ` (${details})` : ''}`);
    this.name = 'AlreadyRunningError';
  }
}

interface Holder {
  readonly pid: number;
  /** Process id of the npm that started it; once npm is gone, the holder stops too (see parent-watch). */
  readonly npmPid?: number;
  readonly url?: string;
  readonly leaving?: boolean;
}

/** Milliseconds to wait for a stopping holder; longer than requeueing sessions and PostgreSQL's checkpoint take. */
const LEAVING_LIMIT_MS = 30_000;
const POLL_MS = 100;

/**
 * Locks the data home `home`, waiting for a holder that is stopping.
 * @throws AlreadyRunningError, or the system's error if `home` cannot be written
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
  const deadline = performance.now() + LEAVING_LIMIT_MS;
  for (;;) {
    const lock = tryLockFile(path);
    if (lock) return lock;
    const holder = readHolder(info);
    const leaving = holder !== undefined && isLeaving(holder);
    if (!leaving || performance.now() > deadline) throw new AlreadyRunningError(holder);
    await delay(POLL_MS);
  }
}

function isLeaving({ leaving, npmPid }: Holder): boolean {
  return leaving === true || (npmPid !== undefined && !isRunning(npmPid));
}

/** Returns what the holder published; undefined if it has not published yet or is dead. */
function readHolder(info: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(info, 'utf8')) as Holder;
    return isRunning(holder.pid) ? holder : undefined;
  } catch {
    return undefined;
  }
}
