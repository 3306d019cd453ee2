import { statSync, unlinkSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** An exclusive lock on a file, held until `release` or until this process dies, however it dies. */
export interface FileLock {
  release(): void;
}

/** Retries of SQLite (ms), because two simultaneous locks can block each other. They block the event loop. */
const CONTENTION_MS = 300;
const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const PRIMARY_CODE_MASK = 0xff;

/**
 * Locks `path`, which is created if missing.
 *
 * Node has no flock, and a file with a process id cannot be taken over from a dead owner without a race. SQLite's
 * exclusive transaction is a kernel lock that ends with the process.
 *
 * @returns `null` if another process, or an earlier call in this one, holds the lock
 * @throws the system's error if the file cannot be written
 */
export function tryLockFile(path: string): FileLock | null {
  for (;;) {
    createIfMissing(path);
    const before = identity(path);
    const isMoved = () => before === null || identity(path) !== before;
    const db = lockExclusively(path, isMoved);
    if (db === null) return null;
    // The previous holder may have removed the file after we opened it; our lock would then protect nothing.
    if (db !== 'moved' && !isMoved()) {
      return {
        release: () => {
          unlinkSync(path);
          db.close();
        },
      };
    }
    if (db !== 'moved') db.close();
  }
}

/** @param isMoved true if the file has been removed meanwhile, which SQLite reports as an I/O error */
function lockExclusively(path: string, isMoved: () => boolean): DatabaseSync | 'moved' | null {
  // Not locking_mode EXCLUSIVE: there a retrying process keeps the lock that the other waits for, so both would fail.
  const db = new DatabaseSync(path, { timeout: CONTENTION_MS });
  try {
    db.exec('BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db.close();
    const code = ((error as { errcode?: number }).errcode ?? 0) & PRIMARY_CODE_MASK;
    if (code === SQLITE_BUSY) return null;
    if (code === SQLITE_IOERR && isMoved()) return 'moved';
    throw error;
  }
}

/** Never opens an existing file, because closing any descriptor of it would drop this process's own lock on it. */
function createIfMissing(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function identity(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  // Includes the birth time, because the system reuses inode numbers at once.
  return stat ? `${stat.dev}:${stat.ino}:${stat.birthtimeNs}` : null;
}
