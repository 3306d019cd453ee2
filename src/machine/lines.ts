import type { Readable } from 'node:stream';

/** Longest line (characters). Longer ones are cut, so that an endless line cannot fill the memory. */
const MAX_LINE_CHARS = 16_384;

/** Calls `onLine` with each line of a text stream, including a last line without a newline. */
export function forEachLine(stream: Readable, onLine: (line: string) => void): void {
  let pending = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (pending + chunk).split('\n');
    pending = (lines.pop() ?? '').slice(0, MAX_LINE_CHARS);
    for (const line of lines) onLine(line.slice(0, MAX_LINE_CHARS).trimEnd());
  });
  stream.on('end', () => {
    if (pending) onLine(pending);
  });
  stream.on('error', () => {});
}
