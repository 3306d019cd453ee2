import type { MaskingPattern } from '../config/masking-names.ts';
import { matchEnd, type Range } from './text.ts';

export interface Mask extends Range {
  replacement: string;
}

/** Returns the placeholder of the first enabled pattern; `null` if none is enabled. */
export type Placeholder = (patterns: readonly MaskingPattern[]) => string | null;

const MASKED_ANYWHERE = /\[MASKED_[A-Z0-9_]{1,60}\]/g;
const MASKED_AT = /\[MASKED_[A-Z0-9_]{1,60}\]/y;

export function isMasked(value: string): boolean {
  return maskedEnd(value, 0) === value.length;
}

/** True if a value contains a placeholder, and no letters or digits outside placeholders. */
export function isMaskedWithin(value: string): boolean {
  return value.includes('[MASKED_') && !/[\p{L}\p{N}]/u.test(value.replaceAll(MASKED_ANYWHERE, ''));
}

/** Returns the end of the placeholder that starts at a position, or -1. */
export function maskedEnd(text: string, at: number): number {
  return matchEnd(MASKED_AT, text, at);
}

/** Replaces ranges of a text by placeholders. Merges overlapping ranges. */
export function applyMasks(text: string, masks: readonly Mask[]): string {
  if (masks.length === 0) return text;
  let masked = '';
  let done = 0;
  for (const { start, end, replacement } of merged(masks)) {
    masked += text.slice(done, start) + replacement;
    done = end;
  }
  return masked + text.slice(done);
}

function merged(masks: readonly Mask[]): Mask[] {
  const result: Mask[] = [];
  for (const mask of masks.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (mask.end <= mask.start) continue;
    const last = result.at(-1);
    if (!last || mask.start >= last.end) result.push(mask);
    else if (mask.end > last.end) result[result.length - 1] = { ...last, end: mask.end };
  }
  return result;
}
