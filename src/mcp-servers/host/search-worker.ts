import { readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

/** A search of the bytes [from, to) of an open file; the thread does not close `fd`. */
export interface SearchRequest {
  fd: number;
  from: number;
  to: number;
  pattern: string;
  flags: string;
  limit: number;
}

/** The matches since the previous message. `position` is the end of the part searched so far (byte offset). */
export interface SearchProgress {
  found: string[];
  matches: number;
  lines: number;
  position: number;
}

const CHUNK_BYTES = 256 * 1024;
/** Length of a line's beginning that is searched (characters), because matching costs grow with length. */
const MAX_LINE_CHARACTERS = 8192;

function searchLines(lines: readonly string[], expression: RegExp, limit: number) {
  const found: string[] = [];
  let matches = 0;
  for (const line of lines) {
    if (!expression.test(line.length > MAX_LINE_CHARACTERS ? line.slice(0, MAX_LINE_CHARACTERS) : line))
      continue;
    matches += 1;
    found.push(line);
    if (found.length > limit) found.shift();
  }
  return { found, matches, lines: lines.length };
}

function search(request: SearchRequest, report: (progress: SearchProgress) => void): void {
  const expression = new RegExp(request.pattern, request.flags);
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  let position = request.from;
  let skipFirst = request.from > 0;
  while (position < request.to) {
    const read = readSync(request.fd, buffer, 0, Math.min(CHUNK_BYTES, request.to - position), position);
    if (read === 0) break;
    position += read;
    const data = Buffer.concat([rest, buffer.subarray(0, read)]);
    const last = position >= request.to;
    // A very long line is split, so that the buffer stays bounded.
    const end = last || data.length > CHUNK_BYTES * 4 ? data.length : data.lastIndexOf(10) + 1;
    rest = data.subarray(end);
    if (end === 0) continue;
    const text = data.subarray(0, end).toString().replaceAll('\0', '');
    const lines = text.replace(/\n$/, '').split('\n');
    // Skips the first line of a search from inside the file, because it is probably incomplete.
    if (skipFirst) lines.shift();
    skipFirst = false;
    report({ ...searchLines(lines, expression, request.limit), position });
  }
}

search(workerData as SearchRequest, (progress) => parentPort?.postMessage(progress));
