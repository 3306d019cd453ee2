import { lineEnd } from './flow.ts';
import type { Range } from './outline.ts';

const NAMES_SECRET = /kind[\\"'\s]{0,600}[:=][\\"'\s]{0,600}(?:!!str\s{1,4})?Secret/;
const DATA = /(?:(?<=\\[nrt])|\b)(?:data|stringData)[\\"']{0,600}\s{0,40}[:=]/;
/** The first bracket closes something: the beginning is cut off, and with it the name of what stands here. */
const TORN = /^[^{[]*[}\]]/;

/** What stands between words: blanks, quotes, brackets, escaped line ends, signs of YAML and JSON. */
const WORD = /\\+[nrt"']?|\[MASKED_[A-Z0-9_]{1,60}\]|[^\s"'{}[\],:=|>\\&*]+/g;
/** What tools put before the lines of a text: marks of a diff or a quotation, line numbers, names of files. */
const BEFORE_NAME = /^(?:[\w./-]{1,200}:(?=\s*\S))?[\s|>+"'-]*(?:\d{1,6}[:|\t-])?[\s"']*$/;
/** Words that say what an object is, and hide nothing. */
const OPEN = new Set(
  'apiVersion v1 kind Secret SecretList List ConfigMap metadata name namespace labels annotations uid creationTimestamp resourceVersion items data stringData type Opaque immutable true false null'.split(
    ' ',
  ),
);
const LETTER = /[A-Za-z0-9]|\p{L}|\p{N}/u;
const NAME = /^[\w./-]{1,60}$/;
/** No name of a field, but data before a colon. */
const RANDOM = /(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{12,}/;
const SENTENCE = /^[A-Za-z][a-z]*[,:;]?(?: [A-Za-z',.;:()-]+){2,}[.!?:]?$/;
/** A line longer than this is no sentence, and no name stands at its start (characters). */
const LONGEST_LOOK = 400;

/** Whether a text that was not read cleanly names a Secret and may hold its data. */
export function maySecretBeIn(text: string): boolean {
  return NAMES_SECRET.test(text) && (DATA.test(text) || TORN.test(text));
}

/**
 * Masks every word of a text but those that say what an object is, names at the start of a line, and sentences. Better too
 * much than a leak.
 */
export function maskCoarsely(text: string): Range[] {
  const ranges: Range[] = [];
  for (let start = 0; start < text.length; ) {
    const end = lineEnd(text, start);
    const isSentence = end - start < LONGEST_LOOK && SENTENCE.test(text.slice(start, end).trim());
    if (!isSentence) maskWords(text, start, end, ranges);
    start = end + 1;
  }
  return ranges;
}

/** Adds the words of a line that are masked; those that follow each other as one. */
function maskWords(text: string, start: number, end: number, ranges: Range[]): void {
  let goesOn = false;
  for (const { 0: word, index } of text.slice(start, end).matchAll(WORD)) {
    const at = start + index;
    let last = at + word.length;
    while (text[last] === '=') last++;
    if (word.startsWith('[MASKED_') || OPEN.has(word) || isName(text, start, at, at + word.length))
      goesOn = false;
    else if (goesOn) ranges.at(-1)!.end = last;
    else if (LETTER.test(word)) {
      ranges.push({ start: at, end: last });
      goesOn = true;
    }
  }
}

/** Whether a word is the name of a field that its line begins with. */
function isName(text: string, lineStart: number, start: number, end: number): boolean {
  const after = /^(?:["']{1,2}[ \t]{0,8}:|[ \t]{0,8}:(?=\s|$))/.test(text.slice(end, end + 12));
  if (!after || start - lineStart > LONGEST_LOOK) return false;
  const name = text.slice(start, end);
  return NAME.test(name) && !RANDOM.test(name) && BEFORE_NAME.test(text.slice(lineStart, start));
}
