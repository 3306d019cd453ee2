/** A range of text and its replacement; `end` is exclusive. */
export interface Mask {
  start: number;
  end: number;
  replacement: string;
}

/** Limit of a placeholder with blanks around it (characters). */
const LONGEST_MASK = 80;

const MASKED = /^\[MASKED_[A-Z0-9_]{1,60}\]$/;
const MASKED_ANYWHERE = /\[MASKED_[A-Z0-9_]{1,60}\]/g;
const MASKED_AT = /\[MASKED_[A-Z0-9_]{1,60}\]/y;

/** True if a value is exactly one placeholder. */
export function isMasked(value: string): boolean {
  return value.startsWith('[MASKED_') && MASKED.test(value);
}

/** True if a value consists of placeholders and characters other than letters and digits. */
export function isMaskedWithin(value: string): boolean {
  return value.includes('[MASKED_') && !/[\p{L}\p{N}]/u.test(value.replaceAll(MASKED_ANYWHERE, ''));
}

/** Returns the end of the placeholder that starts at a position, or -1. */
export function maskedEnd(text: string, at: number): number {
  MASKED_AT.lastIndex = at;
  return MASKED_AT.test(text) ? MASKED_AT.lastIndex : -1;
}

/** Replaces the masked ranges of a text. Merges overlapping masks and keeps existing placeholders. */
export function applyMasks(text: string, masks: readonly Mask[]): string {
  if (masks.length === 0) return text;
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, replacement } of merged(masks)) {
    if (end - start < LONGEST_MASK && isMaskedRange(text, start, end)) continue;
    parts.push(text.slice(done, start), replacement);
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join('');
}

/** True if a range contains exactly one placeholder and blanks around it. */
function isMaskedRange(text: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && text.charCodeAt(at) <= 32) at++;
  const code = text.charCodeAt(at);
  // A quick check, because few ranges start with `[`. Non-ASCII characters may be blanks.
  return (code === 91 || code > 127) && isMasked(text.slice(at, end).trim());
}

function merged(masks: readonly Mask[]): readonly Mask[] {
  if (areApart(masks)) return masks;
  const result: Mask[] = [];
  let last: Mask | undefined;
  for (const mask of isSorted(masks) ? masks : masks.toSorted(inOrder)) {
    if (mask.end <= mask.start) continue;
    if (last && mask.start < last.end) {
      if (mask.end <= last.end) continue;
      last = { ...last, end: mask.end };
      result[result.length - 1] = last;
    } else {
      result.push(mask);
      last = mask;
    }
  }
  return result;
}

/** True if the masks are in order, without overlaps and empty ones, as most finders return them. */
function areApart(masks: readonly Mask[]): boolean {
  let done = 0;
  for (const { start, end } of masks) {
    if (start < done || end <= start) return false;
    done = end;
  }
  return true;
}

function inOrder(a: Mask, b: Mask): number {
  return a.start - b.start || b.end - a.end;
}

function isSorted(masks: readonly Mask[]): boolean {
  for (let at = 1; at < masks.length; at++) if (inOrder(masks[at - 1]!, masks[at]!) > 0) return false;
  return true;
}
