import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { toStorable } from '../common/storable.ts';

const MAX_LINE_CHARACTERS = 500;
/** Maximum number of lines passed to `onLine`. Later output only counts for the last words. */
const MAX_LINES = 200;
/** Length of a chunk's end that is read after MAX_LINES (characters), because any chunk may be the last. */
const TAIL_CHARACTERS = 16_384;
const LAST_LINES = 5;
const SHOWN_LINE_CHARACTERS = 200;

/**
 * Length of a line's beginning that may name a failure (characters): enough for a date, a level and a program's name.
 */
const BEGINNING_CHARACTERS = 80;
/** Matches a word with which programs name the reason why they end. */
const FAILURE =
  /(?<![\w-])(?:error|err|fatal|panic|panicked|exception|failed|failure|critical|cannot|can't|could not|unable|unhandled|uncaught)\b|\w(?:Error|Exception)\b/i;
/** Matches a line of a usage page or of a stack trace, which may mention errors. */
const IS_LISTING = /^\s+(?:-|at |File ")/;

export interface LastWords {
  /** Drains a stream and passes its first lines to `onLine`. */
  read(stream: Readable, onLine: (line: string) => void): void;
  /** Adds a line that did not come from a drained stream. */
  add(line: string): void;
  /** Returns why the program ended, as a suffix for a reason; '' if it wrote nothing. Untrusted. */
  text(): string;
}

/**
 * Keeps the lines of a program's output that explain its end: the last line that names a failure, else the first line,
 * and the last lines of all.
 */
export function createLastWords(): LastWords {
  let kept: KeptLines = { first: null, failure: null, last: [] };
  let unfinished = () => '';
  const add = (line: string) => {
    kept = withLine(kept, line);
  };
  return {
    add,
    read(stream, onLine) {
      let rest = '';
      let read = 0;
      const emit = (line: string) => {
        read += 1;
        if (read <= MAX_LINES && line !== '') onLine(line.slice(0, MAX_LINE_CHARACTERS));
        if (read === MAX_LINES) onLine('further output is not logged');
        add(line);
      };
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => {
        const lines = (rest + (read > MAX_LINES ? chunk.slice(-TAIL_CHARACTERS) : chunk)).split('\n');
        rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS);
        lines.forEach(emit);
      });
      stream.on('end', () => {
        emit(rest);
        rest = '';
      });
      // Ignores errors, because a broken pipe of the server is no error of this process.
      stream.on('error', () => {});
      unfinished = () => rest;
    },
    text() {
      const { first, failure, last } = withLine(kept, unfinished());
      if (first === null) return '';
      const cause = toPlain(failure ?? first);
      const shown = last.map(toPlain);
      return shown.includes(cause)
        ? `; it last wrote: ${shown.join(' | ')}`
        : `; it wrote: ${[cause, '…', ...shown].join(' | ')}`;
    },
  };
}

interface KeptLines {
  first: string | null;
  failure: string | null;
  last: readonly string[];
}

function withLine(kept: KeptLines, written: string): KeptLines {
  if (!/\S/.test(written)) return kept;
  const line = written.slice(0, MAX_LINE_CHARACTERS);
  return {
    first: kept.first ?? line,
    failure: saysFailure(line) ? line : kept.failure,
    last: [...kept.last, line].slice(-LAST_LINES),
  };
}

function saysFailure(line: string): boolean {
  return (
    FAILURE.test(stripVTControlCharacters(line).slice(0, BEGINNING_CHARACTERS)) && !IS_LISTING.test(line)
  );
}

/** Returns a line as printable text without truncated words and long keys, because masking finds only whole secrets. */
function toPlain(line: string): string {
  const text = stripVTControlCharacters(toStorable(line))
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  const isCut = line.length >= MAX_LINE_CHARACTERS || text.length > SHOWN_LINE_CHARACTERS;
  const shown = isCut ? `${text.slice(0, SHOWN_LINE_CHARACTERS).replace(/\S*$/, '')}…` : text;
  return shown.replace(/(?<!\S)[\w+/=-]{40,}(?!\S)/g, '…');
}
