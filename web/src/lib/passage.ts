/** A range of a text in UTF-16 code units; `end` is exclusive. */
export interface Passage {
  readonly start: number;
  readonly end: number;
}

/** Number of characters shown at first on each side of a passage, laid out without a noticeable delay. */
const AROUND = 8_000;
/** A shown part is extended by at most this many characters to begin or end at a line break. */
const NEAR = 2_000;

/** Returns the part of a text to show at first: around the passage, or the beginning if there is none. */
export function partAround(text: string, passage: Passage | null): Passage {
  const { start, end } = passage ?? { start: 0, end: 0 };
  return widenPassage(text, { start, end }, AROUND);
}

/** Extends a part by a number of characters: before it (`by` -1), after it (1) or on both sides (0). */
export function widenPassage(text: string, part: Passage, characters: number, by: -1 | 0 | 1 = 0): Passage {
  const start = by > 0 ? part.start : beginOf(text, Math.max(0, part.start - characters));
  const end = by < 0 ? part.end : endOf(text, Math.min(text.length, part.end + characters));
  return { start: Math.min(start, part.start), end: Math.max(end, part.end) };
}

function beginOf(text: string, place: number): number {
  if (place === 0) return 0;
  const line = text.lastIndexOf('\n', place);
  if (line >= 0 && place - line < NEAR) return line + 1;
  return isLow(text, place) ? place - 1 : place;
}

function endOf(text: string, place: number): number {
  if (place === text.length) return place;
  const line = text.indexOf('\n', place);
  if (line >= 0 && line - place < NEAR) return line;
  return isLow(text, place) ? place + 1 : place;
}

/** True if `place` would split a surrogate pair. */
const isLow = (text: string, place: number): boolean => /[\udc00-\udfff]/.test(text.charAt(place));
