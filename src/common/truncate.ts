/** Estimated UTF-16 code units per token, used by every limit in tokens. */
export const UNITS_PER_TOKEN = 4;

export function estimateTokens(text: string): number {
  return Math.ceil(text.length / UNITS_PER_TOKEN);
}

/** Share of the allowed text (0–1) that may be dropped so that a cut falls on a line end. */
const NEAR = 0.2;

/** UTF-16 code units to search on each side of a cut for a mask; longer than any mask. */
const MASK_WINDOW = 80;
const MASK = /\[MASKED(?:_[A-Z0-9_]{1,60})?\]/g;

/**
 * Cuts a text at `maxUnits` UTF-16 code units and appends a note of how much is missing. The cut falls on a nearby line
 * end if there is one, and never within a character or a masked secret.
 */
export function truncate(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const end = cleanEnd(text, maxUnits);
  return `${text.slice(0, end)}\n[… cut: ${text.length - end} of ${text.length} characters left out]`;
}

/** Cuts a text like `truncate`, without the note. */
export function beginning(text: string, maxUnits: number): string {
  return text.length <= maxUnits ? text : text.slice(0, cleanEnd(text, maxUnits));
}

/** Share of a shortened text (0–1) that goes to its beginning; the rest goes to its end. */
const HEAD = 0.6;

/**
 * Returns the beginning and the end of a text within `maxUnits` UTF-16 code units, with a note between them of how much
 * is missing. Cuts as cleanly as `truncate`.
 */
export function headAndTail(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const { end, start } = endsOf(text, maxUnits - missingNote(text.length, text.length).length);
  return `${text.slice(0, end)}${missingNote(start - end, text.length)}${text.slice(start)}`;
}

/** Returns where the kept beginning ends and the kept end starts, for `maxUnits` UTF-16 code units in total. */
export function endsOf(text: string, maxUnits: number): { end: number; start: number } {
  const room = Math.max(0, maxUnits);
  const end = cleanEnd(text, Math.floor(room * HEAD));
  const start = cleanStart(text, text.length - Math.floor(room * (1 - HEAD)));
  return { end, start };
}

const missingNote = (missing: number, length: number) =>
  `\n[… shortened: ${missing} of ${length} characters left out here …]\n`;

function cleanStart(text: string, start: number): number {
  const lineStart = text.indexOf('\n', start) + 1;
  if (lineStart > 0 && lineStart - start < (text.length - start) * NEAR) return lineStart;
  const from = Math.max(0, start - MASK_WINDOW);
  for (const { 0: mask, index } of text.slice(from, start + MASK_WINDOW).matchAll(MASK)) {
    if (from + index < start && start < from + index + mask.length) return from + index + mask.length;
  }
  return splitsPair(text, start) ? start + 1 : start;
}

function cleanEnd(text: string, maxUnits: number): number {
  const lineEnd = text.lastIndexOf('\n', maxUnits);
  if (lineEnd > maxUnits * (1 - NEAR)) return lineEnd;
  const end = beforeMask(text, maxUnits);
  return splitsPair(text, end) ? end - 1 : end;
}

function beforeMask(text: string, end: number): number {
  const from = Math.max(0, end - MASK_WINDOW);
  for (const { 0: mask, index } of text.slice(from, end + MASK_WINDOW).matchAll(MASK)) {
    if (from + index < end && end < from + index + mask.length) return from + index;
  }
  return end;
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
