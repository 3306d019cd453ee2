/** Keys of quoted or plain form; a plain one may hold spaces but not start with a sign of YAML. */
const KEY =
  /^(?:"((?:[^"\\]|\\.){0,300})"|'((?:[^']|''){0,300})'|((?:[^\s"'#&*!|>%@`{}[\],:-]|[-:](?=\S))(?:[^:#]|:(?=[^\s])|(?<=\S)#){0,300}?))[ \t]{0,20}:(?=\s|$)/;

/** The beginning of a line in which a key is looked for (characters). */
export const LONGEST_KEY = 400;

/** The key of YAML's block style at the start of a line that has no indentation any more; `length` includes the colon. */
export function matchKey(line: string): { name: string; length: number; quoted: boolean } | null {
  if (!line.includes(':')) return null;
  const match = KEY.exec(line);
  if (!match) return null;
  const quoted = match[1] ?? match[2];
  return { name: quoted ?? match[3]!.trim(), length: match[0].length, quoted: quoted !== undefined };
}
