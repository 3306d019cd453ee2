import type { Range } from './outline.ts';

const NAMES_SECRET = /kind[\\"'\s]{0,600}[:=][\\"'\s]{0,600}(?:!!str\s{1,4})?Secret/;
const DATA = /(?:(?<=\\[nrt])|\b)(?:data|stringData)[\\"']{0,600}\s{0,40}[:=]/;
/** The first bracket closes something: the beginning is cut off, and with it the name of what stands here. */
const TORN = /^[^{[]*[}\]]/;

/** Line ends and words. Between them stand blanks, quotes, brackets, escapes, signs of YAML and JSON. */
const WORD = /\n|\[MASKED_[A-Z0-9_]{1,60}\]|(?![+-]|(?<=\\)[nrt])[^\s"'{}[\],:=|>\\&*]+/g;
/** Words that say what an object is, and hide nothing. */
const OPEN = new Set(
  'apiVersion v1 kind Secret SecretList List ConfigMap metadata name namespace labels annotations uid creationTimestamp resourceVersion items data stringData type Opaque immutable true false null'.split(
    ' ',
  ),
);
const LETTER = /[A-Za-z0-9]|\p{L}|\p{N}/u;

/** Whether a text that was not read cleanly names a Secret and may hold its data. */
export function maySecretBeIn(text: string): boolean {
  return NAMES_SECRET.test(text) && (DATA.test(text) || TORN.test(text));
}

/** All words of a text but those that say what an object is; those of a line as one. Better too much than a leak. */
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

/** Whether a masking before left nothing that `maskCoarsely` would mask. */
export function isMaskedCoarsely(text: string): boolean {
  return text.includes('[MASKED_') && maskCoarsely(text).length === 0;
}
