import { lineEnd } from '../text.ts';
import { closingQuote } from './flow.ts';
import { LONGEST_KEY, matchKey } from './keys.ts';

const ITEM = /^(?:-[ \t]+)*/;
const PROPERTIES = /^[ \t]*(?:(?:![\w!:/.,-]*|&[\w-]{1,64})[ \t]+)*/;

/** Returns the ends of quoted values over several lines, by start. Further lines are indented more than the key. */
export function findFolded(text: string): Map<number, number> {
  const found = new Map<number, number>();
  const quotes = /["']/g;
  for (let start = 0; start < text.length; ) {
    quotes.lastIndex = start;
    const quote = quotes.exec(text)?.index ?? -1;
    const eol = quote < 0 ? -1 : text.indexOf('\n', quote);
    if (eol < 0) break;
    const value = quotedStart(text, Math.max(start, text.lastIndexOf('\n', quote) + 1), eol);
    const end = value === null ? -1 : foldedEnd(text, value.at, eol, value.column);
    if (value !== null && end >= 0) found.set(value.at + 1, end);
    start = end >= 0 ? lineEnd(text, end) + 1 : eol + 1;
  }
  return found;
}

/** Returns a line's unclosed quote and the column that the value's next lines must exceed; `null` without a quote. */
function quotedStart(text: string, start: number, eol: number): { at: number; column: number } | null {
  const line = text.slice(start, Math.min(eol, start + LONGEST_KEY));
  const indent = line.length - line.trimStart().length;
  const item = line[indent] === '-' ? ITEM.exec(line.slice(indent))![0].length : 0;
  const key = matchKey(indent + item === 0 ? line : line.slice(indent + item));
  if (!key && item === 0) return null;
  const value = line.slice(indent + item + (key?.length ?? 0)).trimStart();
  const before = line.length - value.length;
  const sign = line[before];
  const at = start + before + (sign === '!' || sign === '&' ? PROPERTIES.exec(value)![0].length : 0);
  const quote = text[at];
  if (at >= eol || (quote !== '"' && quote !== "'")) return null;
  return closingQuote(text, at + 1, quote) >= 0
    ? null
    : { at, column: key ? indent + item : indent + item - 1 };
}

/** Returns the end of a quoted value that continues after its first line; -1 if the next lines cannot belong to it. */
function foldedEnd(text: string, at: number, firstEol: number, column: number): number {
  const quote = text[at]!;
  for (let start = firstEol + 1; start < text.length; ) {
    const end = lineEnd(text, start);
    const first = end - text.slice(start, end).trimStart().length;
    if (first < end && first - start <= column) return -1;
    const close = closingQuote(text, first, quote);
    if (close >= 0) return close;
    start = end + 1;
  }
  return text.length;
}
