/** Matches a letter or digit of a script that separates words by spaces. */
const WORD_UNIT = /^(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])[\p{L}\p{N}_]$/u;
const isDigit = (unit: string | undefined) => unit !== undefined && unit >= '0' && unit <= '9';

export function isInsideWord(text: string, at: number): boolean {
  const [before, after] = [text[at - 1], text[at]];
  if (before === undefined || after === undefined) return false;
  if (WORD_UNIT.test(before) && WORD_UNIT.test(after)) return true;
  if (isDigit(before) && after === '%') return true;
  if (isDigit(before) && after === '.' && isDigit(text[at + 1])) return true;
  if (before === '.' && isDigit(after) && isDigit(text[at - 2])) return true;
  if (before === '-' && isDigit(after) && !/[\p{L}\p{N}]/u.test(text[at - 2] ?? ' ')) return true;
  const comma = after === ',' ? at : before === ',' ? at - 1 : -1;
  return comma > 0 && isDigit(text[comma - 1]) && /^\d{3}(?!\d)/.test(text.slice(comma + 1, comma + 5));
}

const FIELD = /^\S{1,100} ?[:=] ?\S{1,100}$/;
const LEFT = /(?:[\n\r\t|,{[(>;]|\\n| {2})[\s"'`]{0,40}$|[:=] ?["'`]$/;
const RIGHT = /^["'`\s]{0,40}(?:[\n\r\t|,}\])<;]|\\n|$)|^["'`]{0,2} {2}/;

/** True if a passage is a whole line, cell or `key: value`. @param quote normalized */
export function isWholeField(text: string, start: number, end: number, quote: string): boolean {
  const before = text.slice(Math.max(0, start - 64), start);
  const after = text.slice(end, end + 64);
  const isField = FIELD.test(quote);
  const opened = before + (/^["'`]/.exec(text.slice(start, start + 1))?.[0] ?? '');
  const begins = /^[\s"'`]*$/.test(before) ? start <= 64 || before.includes('\n') : LEFT.test(opened);
  return (
    (begins || (isField && /[\s"'`]$/.test(before))) &&
    (RIGHT.test(after) || (isField && /^["'`]?\s/.test(after)))
  );
}

/** Yields all positions of a pattern, also overlapping, in linear time. Avoids `indexOf` for repetitive patterns. */
export function* findOccurrences(text: string, pattern: string): Generator<number> {
  if (pattern === '' || pattern.length > text.length) return;
  if (isRepetitive(pattern)) yield* knuthMorrisPratt(text, pattern);
  else for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) yield at;
}

/** Maximum self-overlap (UTF-16 code units) of patterns for `indexOf`. Beyond, it would take quadratic time. */
const MAX_OVERLAP = 32;

function isRepetitive(pattern: string): boolean {
  const directions = [pattern, [...pattern].reverse().join('')];
  return directions.some((each) => overlaps(each).some((length) => length > MAX_OVERLAP));
}

/** Returns, for each prefix of a pattern, the length of the longest shorter prefix with which the prefix ends. */
function overlaps(pattern: string): Uint32Array {
  const table = new Uint32Array(pattern.length);
  for (let i = 1, matched = 0; i < pattern.length; i++) {
    while (matched > 0 && pattern.charCodeAt(i) !== pattern.charCodeAt(matched))
      matched = table[matched - 1]!;
    if (pattern.charCodeAt(i) === pattern.charCodeAt(matched)) matched += 1;
    table[i] = matched;
  }
  return table;
}

function* knuthMorrisPratt(text: string, pattern: string): Generator<number> {
  const table = overlaps(pattern);
  for (let i = 0, matched = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    while (matched > 0 && code !== pattern.charCodeAt(matched)) matched = table[matched - 1]!;
    if (code === pattern.charCodeAt(matched)) matched += 1;
    if (matched === pattern.length) {
      yield i + 1 - matched;
      matched = table[matched - 1]!;
    }
  }
}
