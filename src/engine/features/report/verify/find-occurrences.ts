import { foldText } from './normalize-text.ts';

/** Letters and digits of scripts that part words by spaces. */
const WORD_UNIT = /^(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])[\p{L}\p{N}_]$/u;
const isDigit = (unit: string | undefined) => unit !== undefined && unit >= '0' && unit <= '9';

/** Whether a place in a text that was folded lies within a word or a figure. */
export function cutsWord(text: string, at: number): boolean {
  const [before, after] = [text[at - 1], text[at]];
  if (before === undefined || after === undefined) return false;
  if (WORD_UNIT.test(before) && WORD_UNIT.test(after)) return true;
  if (isDigit(before) && after === '%') return true;
  if (isDigit(before) && after === '.' && isDigit(text[at + 1])) return true;
  if (before === '.' && isDigit(after) && isDigit(text[at - 2])) return true;
  if (before === '-' && isDigit(after) && !/[\p{L}\p{N}]/u.test(text[at - 2] ?? ' ')) return true;
  return partsThousands(text, after === ',' ? at : before === ',' ? at - 1 : -1);
}

function partsThousands(text: string, comma: number): boolean {
  return comma > 0 && isDigit(text[comma - 1]) && /^\d{3}(?!\d)/.test(text.slice(comma + 1, comma + 5));
}

/** UTF-16 code units of a line that are looked at beside a quote. */
const MAX_REST = 300;
const LINE_EDGE = /[\n\r\t]|\\n| {2,}/g;

/** What stands beside a passage in its line, or cell of a table. */
export function restOfLine(text: string, start: number, end: number): [before: string, after: string] {
  const before = text.slice(Math.max(0, start - MAX_REST), start);
  const after = text.slice(end, end + MAX_REST);
  let from = 0;
  for (const match of before.matchAll(LINE_EDGE)) from = match.index + match[0].length;
  LINE_EDGE.lastIndex = 0;
  return [before.slice(from), after.slice(0, LINE_EDGE.exec(after)?.index ?? after.length)];
}

const FIELD = /^\S{1,100} ?[:=] ?\S{1,100}$/;
const LEFT = /(?:[\n\r\t|,{[(>;]|\\n| {2})[\s"'`]{0,40}$|[:=] ?["'`]$/;
const RIGHT = /^["'`\s]{0,40}(?:[\n\r\t|,}\])<;]|\\n|$)|^["'`]{0,2} {2}/;

/** Whether a passage is a whole line, cell, or `key: value`. @param quote folded */
export function isWhole(text: string, start: number, end: number, quote: string): boolean {
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

/** UTF-16 code units of a passage whose lines are looked at one by one: white space may make it longer than a quote. */
const MAX_LINES_UNITS = 4000;

/** The lines of a passage, folded; empty when it has only one. */
export function linesOf(text: string, start: number, end: number): string[] {
  if (end - start > MAX_LINES_UNITS) return [];
  const lines = text.slice(start, end).split(/\r?\n/);
  return lines.length > 1 ? lines.map(foldText) : [];
}

/**
 * Where a pattern stands in a text, overlapping places included, in time linear in both whatever they hold. `indexOf` is fast, but
 * compares again and again what repeats itself: such patterns take the slower way that never goes back.
 */
export function* occurrences(text: string, pattern: string): Generator<number> {
  if (pattern === '' || pattern.length > text.length) return;
  if (repeatsItself(pattern)) {
    yield* withoutGoingBack(text, pattern);
    return;
  }
  for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) yield at;
}

/** UTF-16 code units that a part of a pattern may share with another part of it that overlaps it. */
const MAX_OVERLAP = 32;

function repeatsItself(pattern: string): boolean {
  return (
    longestOverlap(pattern) > MAX_OVERLAP || longestOverlap([...pattern].reverse().join('')) > MAX_OVERLAP
  );
}

function longestOverlap(pattern: string): number {
  return overlaps(pattern).reduce((most, length) => Math.max(most, length), 0);
}

/** By length of a beginning: the longest shorter beginning that it ends with. */
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

/** Knuth, Morris and Pratt. */
function* withoutGoingBack(text: string, pattern: string): Generator<number> {
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
