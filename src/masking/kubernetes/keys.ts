import { matchEnd } from '../text.ts';

/** Matches quoted and plain keys. A plain key may contain spaces but not start with YAML punctuation. */
const KEY =
  /^(?:"((?:[^"\\]|\\.){0,300})"|'((?:[^']|''){0,300})'|((?:[^\s"'#&*!|>%@`{}[\],:-]|[-:](?=\S))(?:[^:#]|:(?=[^\s])|(?<=\S)#){0,300}?))[ \t]{0,20}:(?=\s|$)/;
/** Matches a key of one word. Nearly all keys are such, and this expression is faster than KEY. */
const WORD = /[A-Za-z0-9_]{1,100}:(?=\s|$)/y;

export const LONGEST_KEY = 400;

/** Returns the YAML key with which a line begins after its indentation, if any. `length` includes the colon. */
export function matchKey(line: string): { name: string; length: number; quoted: boolean } | null {
  const length = matchEnd(WORD, line, 0);
  if (length >= 0) return { name: line.slice(0, length - 1), length, quoted: false };
  const match = line.includes(':') ? KEY.exec(line) : null;
  if (!match) return null;
  const quoted = match[1] ?? match[2];
  const name = quoted ?? match[3]!.trim().replace(/["']$/, '');
  return { name, length: match[0].length, quoted: quoted !== undefined };
}
