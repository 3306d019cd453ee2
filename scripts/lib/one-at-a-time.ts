import { setTimeout as delay } from 'node:timers/promises';
import { tryLockFile } from '../../src/machine/file-lock.ts';

const POLL_MS = 100;

/** Does the work while nobody else does any under this lock, in whatever process; waits for those who do. */
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
