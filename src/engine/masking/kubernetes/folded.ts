import { closingQuote } from './flow.ts';
import { LONGEST_KEY, matchKey } from './keys.ts';

const ITEM = /^(?:-[ \t]+)*/;
const PROPERTIES = /^[ \t]*(?:(?:![\w!:/.,-]*|&[\w-]{1,64})[ \t]+)*/;

/**
 * Quoted values of YAML that go on over several lines, without their quotes. All their lines but the first must be
 * indented more than their key: otherwise the quote is just not closed.
 * @returns their ends by their starts
 */
export function findFolded(text: string): Map<number, number> {
  const found = new Map<number, number>();
  if (!text.includes('\n')) return found;
  const quotes = /["']/g;
  let quote = -1;
  for (let start = 0; start < text.length; ) {
    if (quote < start) quote = nextQuote(text, quotes, start);
    if (quote < 0) break;
    const eol = text.indexOf('\n', quote);
    if (eol < 0) break;
    // Only the line of the quote is of interest.
    start = Math.max(start, text.lastIndexOf('\n', quote) + 1);
    const value = quotedStart(text, start, eol);
    const end = value === null ? -1 : foldedEnd(text, value.at, eol, value.column);
    if (value !== null && end >= 0) found.set(value.at + 1, end);
    start = end >= 0 ? lineAfter(text, end) : eol + 1;
  }
  return found;
}

function nextQuote(text: string, quotes: RegExp, from: number): number {
  quotes.lastIndex = from;
  return quotes.test(text) ? quotes.lastIndex - 1 : -1;
}

function lineAfter(text: string, at: number): number {
  const eol = text.indexOf('\n', at);
  return eol < 0 ? text.length : eol + 1;
}

/** The opening quote of a value that is not closed on its line, and the column its lines must be indented beyond. */
function quotedStart(text: string, start: number, eol: number): { at: number; column: number } | null {
  const line = text.slice(start, Math.min(eol, start + LONGEST_KEY));
  let indent = 0;
  while (isIndent(line.charCodeAt(indent))) indent++;
  const item = line[indent] === '-' ? ITEM.exec(line.slice(indent))![0].length : 0;
  const key = matchKey(indent + item === 0 ? line : line.slice(indent + item));
  if (!key && item === 0) return null;
  let before = indent + item + (key?.length ?? 0);
  while (isIndent(line.charCodeAt(before))) before++;
  const sign = line[before];
  const at =
    start + before + (sign === '!' || sign === '&' ? PROPERTIES.exec(line.slice(before))![0].length : 0);
  const quote = text[at];
  if (at >= eol || (quote !== '"' && quote !== "'")) return null;
  return closingQuote(text, at + 1, quote) >= 0
    ? null
    : { at, column: key ? indent + item : indent + item - 1 };
}

/** Where the value ends that is open at the end of its first line; -1 when what follows cannot belong to it. */
function foldedEnd(text: string, at: number, firstEol: number, column: number): number {
  const quote = text[at]!;
  for (let start = firstEol + 1; start < text.length; ) {
    const eol = text.indexOf('\n', start);
    const end = eol < 0 ? text.length : eol;
    let first = start;
    while (first < end && isBlankCode(text.charCodeAt(first))) first++;
    if (first < end && first - start <= column) return -1;
    const close = closingQuote(text, first, quote);
    if (close >= 0) return close;
    start = end + 1;
  }
  // Cut off within the value.
  return text.length;
}

/** Space, tab. */
function isIndent(code: number): boolean {
  return code === 32 || code === 9;
}

/** Space, tab, carriage return. */
function isBlankCode(code: number): boolean {
  return code === 32 || code === 9 || code === 13;
}
