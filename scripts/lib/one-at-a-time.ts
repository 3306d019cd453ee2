import { setTimeout as delay } from 'node:timers/promises';
import { tryLockFile } from '../../src/machine/file-lock.ts';

const POLL_MS = 100;

/** Runs `work` while this process holds the lock file. Waits while another process holds it. */
export async function oneAtATime<T>(lockPath: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const lock = tryLockFile(lockPath);
    if (lock === null) {
      await delay(POLL_MS);
      continue;
    }
    try {
      return await work();
    } finally {
      lock.release();
    }
  }
}
