/** Matches quoted and plain keys. A plain one may contain spaces but not start with YAML punctuation. */
const KEY =
  /^(?:"((?:[^"\\]|\\.){0,300})"|'((?:[^']|''){0,300})'|((?:[^\s"'#&*!|>%@`{}[\],:-]|[-:](?=\S))(?:[^:#]|:(?=[^\s])|(?<=\S)#){0,300}?))[ \t]{0,20}:(?=\s|$)/;
/** Matches a key of one word, as nearly all are. */
const WORD = /[A-Za-z0-9_]{1,100}:(?=\s|$)/y;

/** Number of characters of a line that are searched for a key. */
export const LONGEST_KEY = 400;

export interface Key {
  name: string;
  length: number;
  quoted: boolean;
}

/** Returns the block-style key at the start of a line without indentation. The key's `length` includes the colon. */
export function matchKey(line: string): Key | null {
  WORD.lastIndex = 0;
  if (WORD.test(line))
    return { name: line.slice(0, WORD.lastIndex - 1), length: WORD.lastIndex, quoted: false };
  const match = line.includes(':') ? KEY.exec(line) : null;
  if (!match) return null;
  const quoted = match[1] ?? match[2];
  // The first quote may be missing.
  const name = quoted ?? match[3]!.trim().replace(/["']$/, '');
  return { name, length: match[0].length, quoted: quoted !== undefined };
}
