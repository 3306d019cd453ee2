/** A piece of text to be replaced; `end` is exclusive. */
export interface Mask {
  start: number;
  end: number;
  replacement: string;
}

const MASKED = /^\[MASKED_[A-Z0-9_]{1,60}\]$/;
const MASKED_AT = /\[MASKED_[A-Z0-9_]{1,60}\]/y;

/** Whether a value is nothing but what an earlier masking left. */
export function isMasked(value: string): boolean {
  return MASKED.test(value);
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
    if (isMasked(text.slice(start, Math.min(end, start + 80)).trim()) && end - start < 80) continue;
    parts.push(text.slice(done, start), replacement);
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join('');
}

function merged(masks: readonly Mask[]): Mask[] {
  const sorted = masks
    .filter(({ start, end }) => end > start)
    .sort((a, b) => a.start - b.start || b.end - a.end);
  const result: Mask[] = [];
  for (const mask of sorted) {
    const last = result.at(-1);
    if (last && mask.start < last.end) last.end = Math.max(last.end, mask.end);
    else result.push({ ...mask });
  }
  return result;
}
