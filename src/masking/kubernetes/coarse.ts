import type { Range } from '../text.ts';

const NAMES_SECRET = /kind[\\"'\s]{0,600}[:=][\\"'\s]{0,600}(?:!!str\s{1,4})?Secret/;
const DATA = /(?:(?<=\\[nrt])|\b)(?:data|stringData)[\\"']{0,600}\s{0,40}[:=]/;
/** Matches a text whose first bracket is a closing one: its beginning, perhaps with the object's kind, is missing. */
const TRUNCATED = /^[^{[]*[}\]]/;

/** Matches a line end, a placeholder, or a word delimited by blanks, quotes, brackets, escapes or punctuation. */
const WORD = /\n|\[MASKED_[A-Z0-9_]{1,60}\]|(?![+-]|(?<=\\)[nrt])[^\s"'{}[\],:=|>\\&*]+/g;
const OPEN = new Set(
  'apiVersion v1 kind Secret SecretList List ConfigMap metadata name namespace labels annotations uid creationTimestamp resourceVersion items data stringData type Opaque immutable true false null'.split(
    ' ',
  ),
);
const LETTER = /[A-Za-z0-9]|\p{L}|\p{N}/u;

/** True if a text names a Secret and may contain its data. Such a text is masked coarsely if not read cleanly. */
export function maySecretBeIn(text: string): boolean {
  return NAMES_SECRET.test(text) && (DATA.test(text) || TRUNCATED.test(text));
}

/** Returns all words that do not describe an object, as one range per line. Prefers masking too much to leaking. */
export function maskCoarsely(text: string): Range[] {
  const ranges: Range[] = [];
  let last: Range | null = null;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (word === '\n' || OPEN.has(word) || word.startsWith('[MASKED_')) last = null;
    else if (last || LETTER.test(word)) {
      let end = index + word.length;
      while (text.charCodeAt(end) === 61) end++; // =
      if (last) last.end = end;
      else {
        last = { start: index, end };
        ranges.push(last);
      }
    }
  }
  return ranges;
}

export function isMaskedCoarsely(text: string): boolean {
  return text.includes('[MASKED_') && maskCoarsely(text).length === 0;
}
