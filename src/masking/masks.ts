/** A piece of text to be replaced; `end` is exclusive. */
export interface Mask {
  start: number;
  end: number;
  replacement: string;
}

/** Placeholders are shorter, blanks around them included (characters). */
const LONGEST_MASK = 80;

const MASKED = /^\[MASKED_[A-Z0-9_]{1,60}\]$/;
const MASKED_ANYWHERE = /\[MASKED_[A-Z0-9_]{1,60}\]/g;
const MASKED_AT = /\[MASKED_[A-Z0-9_]{1,60}\]/y;

/** Whether a value is nothing but what an earlier masking left. */
export function isMasked(value: string): boolean {
  return value.startsWith('[MASKED_') && MASKED.test(value);
}

/** Whether an earlier masking left nothing of a value but signs around its placeholders. */
export function isMaskedWithin(value: string): boolean {
  return value.includes('[MASKED_') && !/[\p{L}\p{N}]/u.test(value.replaceAll(MASKED_ANYWHERE, ''));
}

/** End of the placeholder that starts at a position, or -1. */
export function maskedEnd(text: string, at: number): number {
  MASKED_AT.lastIndex = at;
  return MASKED_AT.test(text) ? MASKED_AT.lastIndex : -1;
}

/** The text with its masks in place; what overlaps becomes one mask. What is masked already stays as it is. */
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

/** Whether there is nothing but a placeholder and blanks around it. */
function isMaskedRange(text: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && text.charCodeAt(at) <= 32) at++;
  const code = text.charCodeAt(at);
  // Few have it: the others need not be cut out. Beyond ASCII there are more blanks.
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

/** Whether they stand one behind the other and none is empty, as most finders leave them. */
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
