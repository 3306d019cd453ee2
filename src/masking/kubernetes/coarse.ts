import type { Range } from '../text.ts';

const NAMES_SECRET = /kind[\\"'\s]{0,600}[:=][\\"'\s]{0,600}(?:!!str\s{1,4})?Secret/;
const DATA = /(?:(?<=\\[nrt])|\b)(?:data|stringData)[\\"']{0,600}\s{0,40}[:=]/;
/** Matches if the first bracket is a closing one, so that the beginning with the object's kind is missing. */
const TRUNCATED = /^[^{[]*[}\]]/;

/** Matches line ends and words, between blanks, quotes, brackets, escapes and punctuation. */
const WORD = /\n|\[MASKED_[A-Z0-9_]{1,60}\]|(?![+-]|(?<=\\)[nrt])[^\s"'{}[\],:=|>\\&*]+/g;
const OPEN = new Set(
  'apiVersion v1 kind Secret SecretList List ConfigMap metadata name namespace labels annotations uid creationTimestamp resourceVersion items data stringData type Opaque immutable true false null'.split(
    ' ',
  ),
);
const LETTER = /[A-Za-z0-9]|\p{L}|\p{N}/u;

/** True if a text that was not read cleanly names a Secret and may contain its data. */
export function maySecretBeIn(text: string): boolean {
  return NAMES_SECRET.test(text) && (DATA.test(text) || TRUNCATED.test(text));
}

/** Returns all words except those that describe an object, joined per line. Masks too much rather than leaking. */
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
