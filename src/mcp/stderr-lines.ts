import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { toStorable } from '../common/storable.ts';

const MAX_LINE_CHARACTERS = 500;
/** The most lines that are passed on; later output is only drained. */
const MAX_LINES = 200;
/** After MAX_LINES only the end of each chunk is read, because it may be the last. */
const TAIL_CHARACTERS = 4_096;
const LAST_LINES = 5;
const LAST_LINE_CHARACTERS = 200;

/** Drains a stream and passes on its first lines. @returns a function that returns the last non-empty lines so far */
export function readLines(stream: Readable, onLine: (line: string) => void): () => string[] {
  let rest = '';
  let count = 0;
  let last: string[] = [];
  const emit = (line: string) => {
    count += 1;
    if (count <= MAX_LINES && line !== '') onLine(line.slice(0, MAX_LINE_CHARACTERS));
    if (count === MAX_LINES) onLine('further output is not logged');
    if (/\S/.test(line)) last = [...last, line].slice(-LAST_LINES);
  };
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + (count > MAX_LINES ? chunk.slice(-TAIL_CHARACTERS) : chunk)).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS);
    lines.forEach(emit);
  });
  stream.on('end', () => emit(rest));
  // A broken pipe of the server is no error of this process.
  stream.on('error', () => {});
  return () =>
    [...last, ...(/\S/.test(rest) && !stream.readableEnded ? [rest] : [])].slice(-LAST_LINES).map(toPlain);
}

/** Returns a line as printable text, without truncated words and long keys. Masking finds only whole secrets. */
function toPlain(line: string): string {
  const text = stripVTControlCharacters(toStorable(line))
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  const isCut = line.length >= MAX_LINE_CHARACTERS || text.length > LAST_LINE_CHARACTERS;
  const shown = isCut ? `${text.slice(0, LAST_LINE_CHARACTERS).replace(/\S*$/, '')}…` : text;
  return shown.replace(/(?<!\S)[\w+/=-]{40,}(?!\S)/g, '…');
}
