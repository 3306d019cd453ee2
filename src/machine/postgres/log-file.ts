import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export interface LogFile {
  write(chunk: Buffer): void;
  tail(): string;
  close(): void;
}

/** Maximum bytes of the file; it has one predecessor. */
const MAX_BYTES = 5 * 1024 * 1024;
const TAIL_CHARS = 4_000;

/** Opens a log. A full file is renamed to `<path>.1` and a new one starts. */
export function openLogFile(path: string, maxBytes = MAX_BYTES): LogFile {
  mkdirSync(dirname(path), { recursive: true });
  let fd = openSync(path, 'a', 0o640);
  let size = fstatSync(fd).size;
  let tail = '';
  let closed = false;
  return {
    write(chunk) {
      // The descriptor of a closed file may belong to another file by now.
      if (closed) return;
      tail = (tail + chunk.toString('utf8')).slice(-TAIL_CHARS);
      try {
        if (size + chunk.length > maxBytes) {
          if (existsSync(path)) renameSync(path, `${path}.1`); // it may have been removed
          const full = fd;
          fd = openSync(path, 'a', 0o640);
          size = 0;
          closeSync(full); // last, so that this file stays in use if the next cannot be opened
        }
        writeSync(fd, chunk);
        size += chunk.length;
      } catch {
        // A full disk must not stop the database's supervisor.
      }
    },
    tail: () => tail,
    close() {
      if (!closed) closeSync(fd);
      closed = true;
    },
  };
}
