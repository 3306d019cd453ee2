import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export interface LogFile {
  write(chunk: Buffer): void;
  /** The last few lines written, for an error message. */
  tail(): string;
  close(): void;
}

/** The file and one predecessor: enough for weeks of a quiet server, and never more than twice this on disk. */
const MAX_BYTES = 5 * 1024 * 1024;
const TAIL_CHARS = 4_000;

/** A log that never outgrows its bound: when full it becomes `<path>.1` and starts anew. */
export function openLogFile(path: string, maxBytes = MAX_BYTES): LogFile {
  mkdirSync(dirname(path), { recursive: true });
  let fd = openSync(path, 'a', 0o640);
  let size = fstatSync(fd).size;
  let tail = '';
  let closed = false;
  return {
    write(chunk) {
      // The number of a closed file may be another file's by now.
      if (closed) return;
      tail = (tail + chunk.toString('utf8')).slice(-TAIL_CHARS);
      try {
        if (size + chunk.length > maxBytes) {
          if (existsSync(path)) renameSync(path, `${path}.1`); // somebody may have removed it
          const full = fd;
          fd = openSync(path, 'a', 0o640);
          size = 0;
          closeSync(full); // last: where the next cannot be opened, this one is written on
        }
        writeSync(fd, chunk);
        size += chunk.length;
      } catch {
        // A full disk must not take the database's supervisor down.
      }
    },
    tail: () => tail,
    close() {
      if (!closed) closeSync(fd);
      closed = true;
    },
  };
}
