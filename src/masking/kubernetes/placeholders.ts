import { isMaskedWithin, type Mask } from '../masks.ts';
import type { Range } from './outline.ts';

/** What stands in place of a Secret's values. */
const REPLACEMENT = '[MASKED_SECRET_DATA]';
/** Line end and indentation between two lines of one value (characters). */
const LONGEST_GAP = 200;
/** Empty values, and what is left of brackets; longer ones are values (characters). */
const LONGEST_NOTHING = 100;
const NOTHING = /^(?:null|~|[|>][+-]?|[\\"'{}[\],#]{1,100})$/;

/** What is to be masked. Lines that follow each other become one: a value that broke into lines gets one placeholder. */
export function placeholders(text: string, ranges: readonly Range[]): Mask[] {
  const masks: Mask[] = [];
  let last: Mask | undefined;
  for (const range of ranges) {
    const value = trimmed(text, range);
    if (value === null) continue;
    if (last && value.start >= last.end && isLineEnd(text, last.end, value.start)) last.end = value.end;
    else {
      last = { start: value.start, end: value.end, replacement: REPLACEMENT };
      masks.push(last);
    }
  }
  return masks;
}

/** A range without what surrounds the value; null when there is nothing to hide. */
export function trimmed(text: string, range: Range): Range | null {
  let { start, end } = range;
  while (start < end && isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  if (text[start] === '#' && end > start + 1) start++;
  while (start < end && isBlank(text, start)) start++;
  if (start === end) return null;
  const value = text.slice(start, end);
  if ((end - start <= LONGEST_NOTHING && NOTHING.test(value)) || isMaskedWithin(value)) return null;
  return { start, end };
}

/** Whether there is nothing but one line end and the next line's indentation. An empty line may end an object. */
function isLineEnd(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start) === 13 ? start + 1 : start;
  if (end - first > LONGEST_GAP || text.charCodeAt(first) !== 10) return false;
  for (let at = first + 1; at < end; at++) if (text.charCodeAt(at) === 10 || !isBlank(text, at)) return false;
  return true;
}

/** A letter or digit is none, which most values begin and end with. */
function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code <= 32 || (code > 127 && /\s/.test(text[at]!));
}
