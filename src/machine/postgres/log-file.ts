import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export interface LogFile {
  write(chunk: Buffer): void;
  tail(): string;
  close(): void;
}

/** Largest size of the log file (bytes). One previous file is kept too. */
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
      // The system may have reused the descriptor of the closed file for another file.
      if (closed) return;
      tail = (tail + chunk.toString('utf8')).slice(-TAIL_CHARS);
      try {
        if (size + chunk.length > maxBytes) {
          if (existsSync(path)) renameSync(path, `${path}.1`); // the operator may have removed it
          const full = fd;
          fd = openSync(path, 'a', 0o640);
          size = 0;
          closeSync(full); // last, so that the full file stays in use if the new one cannot be opened
        }
        writeSync(fd, chunk);
        size += chunk.length;
      } catch {
        // Ignored, because a full disk must not stop the database's supervisor.
      }
    },
    tail: () => tail,
    close() {
      if (!closed) closeSync(fd);
      closed = true;
    },
  };
}
