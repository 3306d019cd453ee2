// A line of megabytes would be laid out whole; cut, the window's width breaks it anyway.
const LONGEST_LINE = 2_000;

/** A line, or a piece of one. */
export interface TextLine {
  readonly text: string;
  /** Its place in the whole text, in UTF-16 code units. */
  readonly start: number;
  /** Its number, from 1. */
  readonly number: number;
  /** It goes on with the line of the piece before it. */
  readonly isRest: boolean;
}

/** The lines of a text; those that are very long, in pieces. */
export function textLines(text: string): readonly TextLine[] {
  let start = 0;
  return text.split('\n').flatMap((line, index) => {
    const from = start;
    start += line.length + 1;
    return pieces(line, from, index + 1);
  });
}

/** Where a line begins; null of none, and of one that is not there. */
export function startOfLine(text: string, number: number | null): number | null {
  return textLines(text).find((line) => line.number === number)?.start ?? null;
}

/** The number of the line that this place is in. */
export function lineAt(text: string, place: number): number {
  return text.slice(0, place).split('\n').length;
}

function pieces(line: string, start: number, number: number): TextLine[] {
  if (line.length <= LONGEST_LINE) return [{ text: line, start, number, isRest: false }];
  const cut: TextLine[] = [];
  for (let from = 0; from < line.length; ) {
    let to = Math.min(line.length, from + LONGEST_LINE);
    // A character of two code units must not be torn apart.
    if (to < line.length && /[\ud800-\udbff]/.test(line[to - 1]!)) to -= 1;
    cut.push({ text: line.slice(from, to), start: start + from, number, isRest: from > 0 });
    from = to;
  }
  return cut;
}
