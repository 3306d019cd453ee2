import { createTextBuilder, type NormalizedText, normalizeText } from './normalize-text.ts';
import type { ProblemCode } from './problems.ts';

/**
 * A text that claims may cite. `views` caches its normalized forms, because many quotes may cite one output.
 */
export interface CitableText {
  text: string;
  views: NormalizedText[];
}

export interface QuoteMatch {
  /** Position in the original text, in UTF-16 code units, end exclusive. */
  start: number;
  end: number;
  /** Normalized passage, extended to whole names and figures at its ends. */
  passage: string;
}

/** Minimum and maximum length of a normalized quote (UTF-16 code units). */
const MIN_QUOTE = 12;
const MAX_QUOTE = 500;

/** Maximum number of occurrences that are examined, because a short quote may occur everywhere. */
const MAX_OCCURRENCES = 64;

/** Searches for a quote in each form of the text. @returns the match, or the problem if the quote is not accepted */
export function findQuote(citable: CitableText, rawQuote: string): QuoteMatch | ProblemCode {
  if (rawQuote.length > MAX_QUOTE * 8) return 'QUOTE_TOO_LONG';
  const normalized = normalizeText(rawQuote.trim());
  const quote = normalized.text.trim();
  if (quote === '') return 'QUOTE_TOO_SHORT';
  if (quote.length > MAX_QUOTE) return 'QUOTE_TOO_LONG';
  let problem: ProblemCode = quote.includes('...') ? 'QUOTE_SHORTENED' : 'QUOTE_NOT_FOUND';
  for (const { view, isCompact } of textViews(citable.text, citable.views)) {
    const found = findInView(citable.text, view, isCompact ? compactJson(normalized).text.trim() : quote);
    if (found !== null && typeof found === 'object') return found;
    problem = found ?? problem;
  }
  return problem;
}

/**
 * Returns the first occurrence of a quote that cuts no word and is long enough. Otherwise returns the
 * problem; `null` if the quote does not occur.
 */
function findInView(text: string, view: NormalizedText, quote: string): QuoteMatch | ProblemCode | null {
  let problem: ProblemCode | null = null;
  let examined = 0;
  for (const from of findOccurrences(view.text, quote)) {
    examined += 1;
    if (examined > MAX_OCCURRENCES) break;
    const to = from + quote.length;
    const [start, end] = [view.at[from]!, endOf(view.at, to - 1)];
    if (isInsideWord(view.text, from) || isInsideWord(view.text, to)) problem ??= 'QUOTE_CUTS_WORD';
    else if (quote.length < MIN_QUOTE && !isWholeField(text, start, end, quote)) problem = 'QUOTE_TOO_SHORT';
    else return { start, end, passage: withWholeTokens(view.text, from, to) };
  }
  return problem;
}

/**
 * Returns the offset in the original text at which the source of a normalized code unit ends. Several
 * normalized units may come from one original unit.
 */
function endOf(at: Uint32Array, last: number): number {
  let next = last + 1;
  while (at[next]! <= at[last]! && next < at.length - 1) next += 1;
  return at[next]!;
}

/** Maximum extension of a passage (UTF-16 code units): a quote of `web` in `web-canary` is about `web-canary`. */
const MAX_TOKEN = 128;
const TOKEN_BEFORE = /[\p{L}\p{N}._\-/:@%+]*$/u;
const TOKEN_AFTER = /^[\p{L}\p{N}._\-/:@%+]*/u;

function withWholeTokens(text: string, from: number, to: number): string {
  const before = TOKEN_BEFORE.exec(text.slice(Math.max(0, from - MAX_TOKEN), from))![0];
  const after = TOKEN_AFTER.exec(text.slice(to, to + MAX_TOKEN))![0];
  return `${before}${text.slice(from, to)}${after}`;
}

/** Yields the forms that models quote: normalized, with JSON escapes resolved once and twice, and compact JSON. */
function* textViews(
  text: string,
  cache: NormalizedText[],
): Generator<{ view: NormalizedText; isCompact: boolean }> {
  const cached = (index: number, make: () => NormalizedText): NormalizedText => {
    cache[index] ??= make();
    return cache[index];
  };
  let last = cached(0, () => normalizeText(text));
  yield { view: last, isCompact: false };
  for (let level = 1; level <= MAX_LEVELS && last.text.includes('\\'); level++) {
    const before = last;
    last = cached(level, () => unescaped(text, level));
    if (last.text === before.text) break;
    yield { view: last, isCompact: false };
  }
  if (!looksLikeJson(last.text)) return;
  const whole = last;
  yield { view: cached(MAX_LEVELS + 1, () => compactJson(whole)), isCompact: true };
}

const MAX_LEVELS = 2;

function unescaped(text: string, levels: number): NormalizedText {
  let [current, offsets]: [string, Uint32Array | null] = [text, null];
  for (let level = 0; level < levels; level++) {
    const next = withoutEscapes(current);
    offsets = offsets === null ? next.at : composeOffsets(next.at, offsets);
    current = next.text;
  }
  const normalized = normalizeText(current);
  return {
    text: normalized.text,
    at: offsets === null ? normalized.at : composeOffsets(normalized.at, offsets),
  };
}

function composeOffsets(later: Uint32Array, earlier: Uint32Array): Uint32Array {
  return later.map((offset) => earlier[offset]!);
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: ' ', f: ' ' };

/** Resolves JSON string escapes anywhere, because outputs are rarely pure JSON. */
export function withoutEscapes(text: string): NormalizedText {
  const out = createTextBuilder(text.length);
  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i);
    if (code !== 0x5c || i + 1 === text.length) {
      out.add(code, i);
      i += 1;
      continue;
    }
    const next = text[i + 1]!;
    const hex = next === 'u' ? text.slice(i + 2, i + 6) : '';
    if (/^[0-9a-fA-F]{4}$/.test(hex)) {
      out.add(Number.parseInt(hex, 16), i);
      i += 6;
    } else if (next === '"' || next === '\\' || next === '/' || ESCAPED[next] !== undefined) {
      out.add((ESCAPED[next] ?? next).charCodeAt(0), i);
      i += 2;
    } else {
      out.add(code, i);
      i += 1;
    }
  }
  return out.finish(text.length);
}

function looksLikeJson(normalized: string): boolean {
  return /^['\w]{0,40} ?[{[]/.test(normalized) || /[{[,] ?'[\w.-]{1,80}' ?:/.test(normalized.slice(0, 2000));
}

function compactJson({ text, at }: NormalizedText): NormalizedText {
  const out = createTextBuilder(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x20 && (isPunctuation(text[i - 1]) || isPunctuation(text[i + 1]))) continue;
    out.add(code, at[i]!);
  }
  return out.finish(at[text.length]!);
}

const isPunctuation = (unit = '?') => '{}[],:'.includes(unit);

/** Matches a letter or digit of a script that separates words by spaces. */
const WORD_UNIT = /^(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])[\p{L}\p{N}_]$/u;
const isDigit = (unit: string | undefined) => unit !== undefined && unit >= '0' && unit <= '9';

function isInsideWord(text: string, at: number): boolean {
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
function isWholeField(text: string, start: number, end: number, quote: string): boolean {
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
function* findOccurrences(text: string, pattern: string): Generator<number> {
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
