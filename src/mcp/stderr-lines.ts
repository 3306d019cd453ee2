import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { storable } from '../common/storable.ts';

const MAX_LINE_CHARACTERS = 500;
/** A server that keeps writing is drained, but not logged for ever. */
const MAX_LINES = 200;
/** Of each piece that comes after that, only the end is looked at: it may be the last. */
const TAIL_CHARACTERS = 4_096;
/** Enough for the message of an error; stack traces end with less useful lines anyway. */
const LAST_LINES = 5;
const LAST_LINE_CHARACTERS = 200;

/**
 * Drains a stream and hands on its first lines, each cut to a bounded length.
 * @returns the last lines so far that are not empty, each one line of plain text
 */
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
  // The end of a pipe is no failure of ours.
  stream.on('error', () => {});
  return () =>
    [...last, ...(/\S/.test(rest) && !stream.readableEnded ? [rest] : [])].slice(-LAST_LINES).map(plain);
}

/**
 * One line of printable text. What could be a part of a secret is left out, because masking knows whole ones: a word that
 * is cut, and a long one of letters and digits, such as a line of a key.
 */
function plain(line: string): string {
  const text = stripVTControlCharacters(storable(line))
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  const isCut = line.length >= MAX_LINE_CHARACTERS || text.length > LAST_LINE_CHARACTERS;
  const shown = isCut ? `${text.slice(0, LAST_LINE_CHARACTERS).replace(/\S*$/, '')}…` : text;
  return shown.replace(/(?<!\S)[\w+/=-]{40,}(?!\S)/g, '…');
}
