import { statSync, unlinkSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** An exclusive lock on a file, held until `release` or until this process dies, however it dies. */
export interface FileLock {
  /** Removes the file and gives the lock up. */
  release(): void;
}

/**
 * How long SQLite asks again. Two processes that ask in the same instant can each find the other half-way; one of
 * them must be given the time to step back. Blocks the event loop, so it is used only at start.
 */
const CONTENTION_MS = 300;
const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const PRIMARY_CODE_MASK = 0xff;

/**
 * Takes the lock on `path`, which is created when missing.
 *
 * Node offers no flock, and a file that holds a process id cannot be taken over from a dead owner without a race.
 * SQLite's exclusive transaction is a lock of the kernel: gone with the process, so nothing has to be repaired.
 *
 * @returns null when another process (or an earlier call in this one) holds it.
 * @throws the system's error when the file cannot be written.
 */
export function tryLockFile(path: string): FileLock | null {
  for (;;) {
    createIfMissing(path);
    const before = identity(path);
    const isMoved = () => before === null || identity(path) !== before;
    const db = lockExclusively(path, isMoved);
    if (db === null) return null;
    // The holder before us may have removed the file after we opened it: then we hold a lock that nobody can see.
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

/** @param isMoved whether the file has been removed since, which SQLite finds too, half-way, and calls an I/O error */
function lockExclusively(path: string, isMoved: () => boolean): DatabaseSync | 'moved' | null {
  // Not in locking_mode EXCLUSIVE, where one that asks again keeps what the other waits for: both would be refused.
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

/** Never opens an existing file: closing any descriptor of it would drop a lock this process already has on it. */
function createIfMissing(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function identity(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  // Birth time too, because a freed inode number is given out again at once.
  return stat ? `${stat.dev}:${stat.ino}:${stat.birthtimeNs}` : null;
}
