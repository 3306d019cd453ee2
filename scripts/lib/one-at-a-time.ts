import { setTimeout as delay } from 'node:timers/promises';
import { tryLockFile } from '../../src/machine/file-lock.ts';

const POLL_MS = 100;

/** Runs the work under a lock that excludes all processes; waits while another holder works. */
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
