/** Keys of quoted or plain form; a plain one may hold spaces but not start with a sign of YAML. */
const KEY =
  /^(?:"((?:[^"\\]|\\.){0,300})"|'((?:[^']|''){0,300})'|((?:[^\s"'#&*!|>%@`{}[\],:-]|[-:](?=\S))(?:[^:#]|:(?=[^\s])|(?<=\S)#){0,300}?))[ \t]{0,20}:(?=\s|$)/;
/** Nearly all keys are one word. */
const WORD = /[A-Za-z0-9_]{1,100}:(?=\s|$)/y;

/** The beginning of a line in which a key is looked for (characters). */
export const LONGEST_KEY = 400;

export interface Key {
  name: string;
  length: number;
  quoted: boolean;
}

/** The key of YAML's block style at the start of a line that has no indentation any more; `length` includes the colon. */
export function matchKey(line: string): Key | null {
  WORD.lastIndex = 0;
  if (WORD.test(line))
    return { name: line.slice(0, WORD.lastIndex - 1), length: WORD.lastIndex, quoted: false };
  const match = line.includes(':') ? KEY.exec(line) : null;
  if (!match) return null;
  const quoted = match[1] ?? match[2];
  // The first quote may be lost.
  const name = quoted ?? match[3]!.trim().replace(/["']$/, '');
  return { name, length: match[0].length, quoted: quoted !== undefined };
}
