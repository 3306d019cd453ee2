/** The estimate that all limits in tokens use: UTF-16 code units of one token. */
export const UNITS_PER_TOKEN = 4;

export function estimateTokens(text: string): number {
  return Math.ceil(text.length / UNITS_PER_TOKEN);
}

/** The end of a line counts as near when at most this part of the text would be given up for it. */
const NEAR = 0.2;

/** Longer than any mask, so that one that a cut would go through lies within this distance. */
const MASK_WINDOW = 80;
const MASK = /\[MASKED(?:_[A-Z0-9_]{1,60})?\]/g;

/**
 * The text up to a limit in UTF-16 code units, saying how much is missing. It is cut at the end of a line where one is
 * near, and never within a character or within what masking left of a secret.
 */
export function truncate(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const end = cleanEnd(text, maxUnits);
  return `${text.slice(0, end)}\n[… cut: ${text.length - end} of ${text.length} characters left out]`;
}

/** The beginning of a text without a note, for places that say themselves that it is one. */
export function beginning(text: string, maxUnits: number): string {
  return text.length <= maxUnits ? text : text.slice(0, cleanEnd(text, maxUnits));
}

/** The part of a shortened text that its beginning has; its end has the rest. */
const HEAD = 0.6;

/**
 * The beginning and the end of a text, within a limit in UTF-16 code units, with a note of how much is missing between
 * them. Cut as cleanly as by `truncate`.
 */
export function headAndTail(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const { end, start } = endsOf(text, maxUnits - missingNote(text.length, text.length).length);
  return `${text.slice(0, end)}${missingNote(start - end, text.length)}${text.slice(start)}`;
}

/** Where the beginning of a text ends and its end starts, when both together have this limit in UTF-16 code units. */
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
