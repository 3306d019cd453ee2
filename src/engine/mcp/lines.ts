import type { Readable } from 'node:stream';

const MAX_LINE_CHARACTERS = 500;
/** A server that keeps writing is drained, but not logged for ever. */
const MAX_LINES = 200;

/** Drains a stream and hands on its first lines, each cut to a bounded length. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  let count = 0;
  const emit = (line: string) => {
    count += 1;
    if (count <= MAX_LINES && line !== '') onLine(line.slice(0, MAX_LINE_CHARACTERS));
    if (count === MAX_LINES) onLine('further output is not logged');
  };
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    if (count > MAX_LINES) return;
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS);
    lines.forEach(emit);
  });
  stream.on('end', () => emit(rest));
  // The end of a pipe is no failure of ours.
  stream.on('error', () => {});
}
