/** Estimated UTF-16 code units per token, used by every limit in tokens. */
export const UNITS_PER_TOKEN = 4;

export function estimateTokens(text: string): number {
  return Math.ceil(text.length / UNITS_PER_TOKEN);
}

/** Maximum share of the allowed text (0–1) that is given up to cut at the end of a line. */
const NEAR = 0.2;

/** Distance before and after a cut to search for a placeholder (UTF-16 code units); longer than any placeholder. */
const MASK_WINDOW = 80;
const MASK = /\[MASKED(?:_[A-Z0-9_]{1,60})?\]/g;

/** Cuts a text at a line end nearby, never within a character or placeholder, and notes how much is missing. */
export function truncate(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const end = cleanEnd(text, maxUnits);
  return `${text.slice(0, end)}\n[… cut: ${text.length - end} of ${text.length} characters left out]`;
}

export function beginning(text: string, maxUnits: number): string {
  return text.length <= maxUnits ? text : text.slice(0, cleanEnd(text, maxUnits));
}

/** Share of a shortened text (0–1) that goes to its beginning; the rest goes to its end. */
const HEAD = 0.6;

/** Returns a text's beginning and end within `maxUnits` UTF-16 code units; a note says how much is missing between. */
export function headAndTail(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const { end, start } = endsOf(text, maxUnits - missingNote(text.length, text.length).length);
  return `${text.slice(0, end)}${missingNote(start - end, text.length)}${text.slice(start)}`;
}

/**
 * Returns the indices where the kept beginning ends and the kept end starts; both parts have at most `maxUnits` units.
 */
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
  const { end = start } = maskAround(text, start) ?? {};
  return splitsPair(text, end) ? end + 1 : end;
}

function cleanEnd(text: string, maxUnits: number): number {
  const lineEnd = text.lastIndexOf('\n', maxUnits);
  if (lineEnd > maxUnits * (1 - NEAR)) return lineEnd;
  const { start: end = maxUnits } = maskAround(text, maxUnits) ?? {};
  return splitsPair(text, end) ? end - 1 : end;
}

/** Returns the placeholder that a cut at index `at` would split; `undefined` if there is none. */
function maskAround(text: string, at: number): { start: number; end: number } | undefined {
  const from = Math.max(0, at - MASK_WINDOW);
  return Array.from(text.slice(from, at + MASK_WINDOW).matchAll(MASK), ({ 0: mask, index }) => ({
    start: from + index,
    end: from + index + mask.length,
  })).find(({ start, end }) => start < at && at < end);
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
