import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { deserializeMessage, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { toStorable } from '../common/storable.ts';

const NEWLINE = 10;

/**
 * Splits a byte stream into messages, one per line, in linear time, unlike the SDK's buffer.
 * `push` drops a line longer than `maxBytes` and returns false.
 */
export function createMessageBuffer(
  maxBytes: number,
  /** `onNoise` is called for a line that is no message, such as a stray print. */
  handlers: { onMessage(message: JSONRPCMessage): void; onNoise(error: Error): void },
): { push(chunk: Buffer): boolean } {
  let parts: Buffer[] = [];
  let bytes = 0;

  const reset = () => {
    parts = [];
    bytes = 0;
  };
  const flush = () => {
    const line = Buffer.concat(parts).toString();
    reset();
    try {
      handlers.onMessage(deserializeMessage(line));
    } catch (error) {
      handlers.onNoise(error instanceof Error ? error : new Error(String(error)));
    }
  };

  return {
    push(chunk) {
      let start = 0;
      for (;;) {
        const end = chunk.indexOf(NEWLINE, start);
        const part = chunk.subarray(start, end < 0 ? chunk.length : end);
        parts.push(part);
        bytes += part.length;
        if (bytes > maxBytes) {
          reset();
          return false;
        }
        if (end < 0) return true;
        flush();
        start = end + 1;
      }
    },
  };
}

const MAX_LINE_CHARACTERS = 500;
/** Maximum number of lines passed to `onLine`. Later output only counts for the last lines. */
const MAX_LINES = 200;
/** Length of a chunk's end that is read after MAX_LINES (characters), because any chunk may be the last. */
const TAIL_CHARACTERS = 4_096;
const LAST_LINES = 5;
const LAST_LINE_CHARACTERS = 200;

/** Drains a stream and passes its first lines to `onLine`. @returns a function that returns the last non-empty lines */
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
  // Ignores errors, because a broken pipe of the server is no error of this process.
  stream.on('error', () => {});
  return () =>
    [...last, ...(/\S/.test(rest) && !stream.readableEnded ? [rest] : [])].slice(-LAST_LINES).map(toPlain);
}

/** Returns a line as printable text without truncated words and long keys, because masking finds only whole secrets. */
function toPlain(line: string): string {
  const text = stripVTControlCharacters(toStorable(line))
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  const isCut = line.length >= MAX_LINE_CHARACTERS || text.length > LAST_LINE_CHARACTERS;
  const shown = isCut ? `${text.slice(0, LAST_LINE_CHARACTERS).replace(/\S*$/, '')}…` : text;
  return shown.replace(/(?<!\S)[\w+/=-]{40,}(?!\S)/g, '…');
}
