import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type FileLock, tryLockFile } from './file-lock.ts';
import { ensureHome } from './home.ts';
import { findNpm } from './parent-watch.ts';
import { isRunning } from './proc.ts';

/** The right to run TARSy on one data home. */
export interface InstanceLock {
  /** Tells later starts where we answer, for their message. */
  announce(url: string): void;
  /** Tells later starts that we are on our way out, so that they wait instead of giving up. Call when a stop begins. */
  leaving(): void;
  /** Gives the right up; idempotent. */
  release(): void;
}

/** Another TARSy runs on this data home. Nothing was touched. */
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
  /** The npm that started it: when that is gone, the holder is about to go too (see parent-watch). */
  readonly npmPid?: number;
  readonly url?: string;
  readonly leaving?: boolean;
}

/** Longer than a stop takes: handing sessions back, PostgreSQL's checkpoint. */
const LEAVING_LIMIT_MS = 30_000;
const POLL_MS = 100;

/**
 * Takes the right to run on `home`. Waits for a holder that is leaving.
 * @throws AlreadyRunningError, or the system's error when `home` cannot be written.
 */
export async function acquireInstanceLock({ home }: { home: string }): Promise<InstanceLock> {
  const dir = ensureHome(home);
  const info = join(dir, 'instance.json');
  const lock = await untilLocked(join(dir, 'instance.lock'), info);
  const npmPid = findNpm();
  let self: Holder = { pid: process.pid, ...(npmPid !== undefined && { npmPid }) };
  const tell = (more: Partial<Holder>) => {
    self = { ...self, ...more };
    writeFileSync(`${info}.new`, JSON.stringify(self));
    renameSync(`${info}.new`, info);
  };
  tell({});
  let released = false;
  return {
    announce: (url) => tell({ url }),
    leaving: () => {
      if (!released) tell({ leaving: true });
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

/** What the holder said about itself; undefined when it has not yet, or when a dead one said it. */
function readHolder(info: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(info, 'utf8')) as Holder;
    return isRunning(holder.pid) ? holder : undefined;
  } catch {
    return undefined;
  }
}
