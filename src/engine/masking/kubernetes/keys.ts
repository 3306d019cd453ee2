/** Keys of quoted or plain form; a plain one may hold spaces but not start with a sign of YAML. */
const KEY =
  /^(?:"((?:[^"\\]|\\.){0,300})"|'((?:[^']|''){0,300})'|((?:[^\s"'#&*!|>%@`{}[\],:-]|[-:](?=\S))(?:[^:#]|:(?=[^\s])|(?<=\S)#){0,300}?))[ \t]{0,20}:(?=\s|$)/;
/** Longer keys are left to the expression (characters). */
const LONGEST_WORD = 100;

/** The beginning of a line in which a key is looked for (characters). */
export const LONGEST_KEY = 400;

export interface Key {
  name: string;
  length: number;
  quoted: boolean;
}

/** The key of YAML's block style at the start of a line that has no indentation any more; `length` includes the colon. */
export function matchKey(line: string): Key | null {
  const colon = line.indexOf(':');
  if (colon < 0) return null;
  const end = wordEnd(line);
  // Nearly all keys are one word, which needs no expression.
  if (end > 0 && end === colon && (end + 1 === line.length || isBlankCode(line.charCodeAt(end + 1))))
    return { name: line.slice(0, end), length: end + 1, quoted: false };
  const match = KEY.exec(line);
  if (!match) return null;
  const quoted = match[1] ?? match[2];
  // The first quote may be lost.
  const name = quoted ?? match[3]!.trim().replace(/["']$/, '');
  return { name, length: match[0].length, quoted: quoted !== undefined };
}

/** How far the letters, digits and `_` at the start of a line go. */
function wordEnd(line: string): number {
  let at = 0;
  while (at < LONGEST_WORD && isWordCode(line.charCodeAt(at))) at++;
  return at;
}

function isWordCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
  );
}

/** Space, tab, line end. */
function isBlankCode(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13;
}
