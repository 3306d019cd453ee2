import { isMasked, type Mask } from '../masks.ts';
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
    const mask = trimmed(text, range);
    if (mask === null) continue;
    if (last && mask.start >= last.end && isLineEnd(text, last.end, mask.start)) last.end = mask.end;
    else {
      last = mask;
      masks.push(mask);
    }
  }
  return masks;
}

/** A range without what surrounds the value; null when there is nothing to hide. */
function trimmed(text: string, range: Range): Mask | null {
  let { start, end } = range;
  while (start < end && isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  if (text[start] === '#' && end > start + 1) start++;
  while (start < end && isBlank(text, start)) start++;
  if (start === end) return null;
  if (end - start <= LONGEST_NOTHING) {
    const value = text.slice(start, end);
    if (isMasked(value) || NOTHING.test(value)) return null;
  }
  return { start, end, replacement: REPLACEMENT };
}

/**
 * Whether what is masked is one word or base64, and its placeholder a word: what is around it is read as before, so that nothing more
 * can be found.
 */
export function isWord(text: string, { start, end }: Mask): boolean {
  const before = text.charCodeAt(start - 1);
  // A placeholder in brackets would begin a list.
  if (isWordCode(before) || before === 91 || before === 123 || !isLetterOrDigit(text.charCodeAt(start)))
    return false;
  for (let at = start; at < end; at++) if (!isWordCode(text.charCodeAt(at))) return false;
  let after = end;
  while (text.charCodeAt(after) === 92) after++;
  const quote = text.charCodeAt(after);
  // Without quotes a blank must follow: before other signs the value may be one that is cut off.
  if (before !== 34 && before !== 39)
    return end === text.length || (after === end && isBlank(text, end) && !isName(text, end));
  return quote === before && after + 1 < text.length && !isName(text, after + 1);
}

/** Whether a colon follows, so that what stands before it is a name. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9) at++;
  return text.charCodeAt(at) === 58; // :
}

/** Whether there is nothing but one line end and the next line's indentation. An empty line may end an object. */
function isLineEnd(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start) === 13 ? start + 1 : start;
  if (end - first > LONGEST_GAP || text.charCodeAt(first) !== 10) return false;
  for (let at = first + 1; at < end; at++) if (text.charCodeAt(at) === 10 || !isBlank(text, at)) return false;
  return true;
}

/** A letter, a digit, `_` `=` `+` `/` `-` `.` */
function isWordCode(code: number): boolean {
  return isLetterOrDigit(code) || code === 95 || code === 61 || code === 43 || (code >= 45 && code <= 47);
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

/** A letter or digit is none, which most values begin and end with. */
function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code <= 32 || (code > 127 && /\s/.test(text[at]!));
}
