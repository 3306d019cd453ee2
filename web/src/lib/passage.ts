/** A passage of a text, in UTF-16 code units; `end` is the place after its last. */
export interface Passage {
  readonly start: number;
  readonly end: number;
}

/** Characters on either side of a passage that are shown at first: the browser lays them out without being noticed. */
const AROUND = 8_000;
/** A part begins and ends at a line's end, where one is that near. */
const NEAR = 2_000;

/** The part of a text to show first: what is around a passage, or else its beginning. */
export function partAround(text: string, passage: Passage | null): Passage {
  const { start, end } = passage ?? { start: 0, end: 0 };
  return widened(text, { start, end }, AROUND);
}

/** A part with so many more characters on either side; `by` below 0: only those before, above: only after. */
export function widened(text: string, part: Passage, characters: number, by: -1 | 0 | 1 = 0): Passage {
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

/** A character of two code units must not be torn apart. */
const isLow = (text: string, place: number): boolean => /[\udc00-\udfff]/.test(text.charAt(place));
