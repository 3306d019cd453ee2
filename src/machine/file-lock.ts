import { statSync, unlinkSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** An exclusive lock on a file, held until `release` or the end of this process, even after a crash. */
export interface FileLock {
  release(): void;
}

/**
 * Time (ms) that SQLite retries, because two processes that lock at once can block each other. Blocks the event loop.
 */
const CONTENTION_MS = 300;
const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const PRIMARY_CODE_MASK = 0xff;

/**
 * Locks `path`, which is created if missing.
 *
 * Uses SQLite's exclusive transaction, a kernel lock that ends with the process, because Node has no flock. A file with
 * a process id does not suffice, because taking it over from a dead owner is a race.
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
    // The previous holder may have removed the file after this process opened it; the lock would then protect nothing.
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

/** @param isMoved true if the file was removed meanwhile; SQLite then reports an I/O error */
function lockExclusively(path: string, isMoved: () => boolean): DatabaseSync | 'moved' | null {
  // Locking_mode stays NORMAL, because with EXCLUSIVE two processes could keep locks that block each other.
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

/**
 * Creates the file if missing. Never opens an existing file: closing it would drop the lock that this process holds.
 */
function createIfMissing(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function identity(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  // Includes the birth time, because the system reuses inode numbers immediately.
  return stat ? `${stat.dev}:${stat.ino}:${stat.birthtimeNs}` : null;
}
