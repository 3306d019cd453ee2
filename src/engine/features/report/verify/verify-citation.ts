import { cutsWord, isWhole, linesOf, occurrences, restOfLine } from './find-occurrences.ts';
import { isNegationCut } from './negative-claims.ts';
import { type Folded, fold } from './normalize-text.ts';
import { compact, viewsOf } from './quote-views.ts';
import type { ProblemCode } from './types.ts';

/** A text that can be cited, with the forms of it that were needed so far: many quotes may be of one output. */
export interface Citable {
  text: string;
  views: Folded[];
}

/** Where a quote stands. */
export interface Found {
  /** In the text as it is, in UTF-16 code units, end exclusive. */
  start: number;
  end: number;
  /** The passage, folded, with all of the names and figures that it begins and ends with. */
  shown: string;
  /** Folded; empty when it has only one. */
  lines: string[];
  /** The rest of its sentence denies it. */
  isNegationCut: boolean;
}

/** UTF-16 code units of a quote once it is folded. */
const MIN_QUOTE = 12;
const MAX_QUOTE = 500;

/** Places of one quote that are looked at: a short one may stand everywhere. */
const MAX_PLACES = 64;

/** Looks for a quote in the whole text, in each of its forms. @returns why not, when it does not hold */
export function findQuote(citable: Citable, rawQuote: string): Found | ProblemCode {
  if (rawQuote.length > MAX_QUOTE * 8) return 'QUOTE_TOO_LONG';
  const folded = fold(rawQuote.trim());
  const quote = folded.text.trim();
  if (quote === '') return 'QUOTE_TOO_SHORT';
  if (quote.length > MAX_QUOTE) return 'QUOTE_TOO_LONG';
  let why: ProblemCode = quote.includes('...') ? 'QUOTE_SHORTENED' : 'QUOTE_NOT_FOUND';
  for (const { view, isCompact } of viewsOf(citable.text, citable.views)) {
    const found = findInView(citable.text, view, isCompact ? compact(folded).text.trim() : quote);
    if (found !== null && typeof found === 'object') return found;
    why = found ?? why;
  }
  return why;
}

/** The first place where it stands whole and nothing that denies it is cut off, else the first where it stands whole. */
function findInView(text: string, view: Folded, quote: string): Found | ProblemCode | null {
  let best: Found | null = null;
  let why: ProblemCode | null = null;
  let places = 0;
  for (const from of occurrences(view.text, quote)) {
    places += 1;
    if (places > MAX_PLACES) break;
    const to = from + quote.length;
    const [start, end] = [view.at[from]!, endOf(view.at, to - 1)];
    if (cutsWord(view.text, from) || cutsWord(view.text, to)) why ??= 'QUOTE_CUTS_WORD';
    else if (quote.length < MIN_QUOTE && !isWhole(text, start, end, quote)) why = 'QUOTE_TOO_SHORT';
    else {
      const [before, after] = restOfLine(text, start, end);
      const shown = withWholeTokens(view.text, from, to);
      const found = { start, end, shown, lines: linesOf(text, start, end) };
      if (!isNegationCut(fold(before).text, fold(after).text)) return { ...found, isNegationCut: false };
      best ??= { ...found, isNegationCut: true };
    }
  }
  return best ?? why;
}

/** Where the text goes on after the code unit that stands at this place once folded: several may have come of one. */
function endOf(at: Uint32Array, last: number): number {
  let next = last + 1;
  while (at[next]! <= at[last]! && next < at.length - 1) next += 1;
  return at[next]!;
}

/** UTF-16 code units by which a passage grows at most: a quote of `web` out of `web-canary` speaks of `web-canary`. */
const MAX_TOKEN = 128;
const TOKEN_BEFORE = /[\p{L}\p{N}._\-/:@%+]*$/u;
const TOKEN_AFTER = /^[\p{L}\p{N}._\-/:@%+]*/u;

function withWholeTokens(text: string, from: number, to: number): string {
  const before = TOKEN_BEFORE.exec(text.slice(Math.max(0, from - MAX_TOKEN), from))![0];
  const after = TOKEN_AFTER.exec(text.slice(to, to + MAX_TOKEN))![0];
  return `${before}${text.slice(from, to)}${after}`;
}
