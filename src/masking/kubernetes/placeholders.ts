import { isMaskedWithin, type Mask } from '../masks.ts';
import type { Range } from '../text.ts';

const REPLACEMENT = '[MASKED_SECRET_DATA]';
const LONGEST_GAP = 200;
const LONGEST_NOTHING = 100;
const NOTHING = /^(?:null|~|[|>][+-]?|[\\"'{}[\],#]{1,100})$/;

/** Returns the masks of the ranges. Consecutive lines become one mask, so that a value gets one placeholder. */
export function placeholders(text: string, ranges: readonly Range[]): Mask[] {
  const masks: Mask[] = [];
  for (const range of ranges) {
    const value = trimmed(text, range);
    const last = masks.at(-1);
    if (value === null) continue;
    if (last && value.start >= last.end && isLineEnd(text, last.end, value.start)) last.end = value.end;
    else masks.push({ ...value, replacement: REPLACEMENT });
  }
  return masks;
}

/** Returns a range without the blanks and `#` around its value; `null` if nothing in the range needs masking. */
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

/** True for exactly one line end with indentation. Two do not count, because an empty line may end an object. */
function isLineEnd(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start) === 13 ? start + 1 : start;
  if (end - first > LONGEST_GAP || text.charCodeAt(first) !== 10) return false;
  for (let at = first + 1; at < end; at++) if (text.charCodeAt(at) === 10 || !isBlank(text, at)) return false;
  return true;
}

/** True for white space. Checks the code first, because most characters are ASCII and need no regex. */
function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code <= 32 || (code > 127 && /\s/.test(text[at]!));
}
