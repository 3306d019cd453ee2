// Maximum line length (characters). Longer lines are split, because browsers lay out a line only as a whole.
const LONGEST_LINE = 2_000;

export interface TextLine {
  readonly text: string;
  /** Offset of the line in the text (UTF-16 code units). */
  readonly start: number;
  readonly number: number;
  /** True for the second and later pieces of a line. */
  readonly isRest: boolean;
}

/** Splits a text into lines, and long lines into pieces of at most LONGEST_LINE. */
export function textLines(text: string): readonly TextLine[] {
  let start = 0;
  return text.split('\n').flatMap((line, index) => {
    const from = start;
    start += line.length + 1;
    return pieces(line, from, index + 1);
  });
}

export function startOfLine(text: string, number: number | null): number | null {
  return textLines(text).find((line) => line.number === number)?.start ?? null;
}

export function lineAt(text: string, place: number): number {
  return text.slice(0, place).split('\n').length;
}

function pieces(line: string, start: number, number: number): TextLine[] {
  if (line.length <= LONGEST_LINE) return [{ text: line, start, number, isRest: false }];
  const cut: TextLine[] = [];
  for (let from = 0; from < line.length; ) {
    let to = Math.min(line.length, from + LONGEST_LINE);
    // Does not split a surrogate pair.
    if (to < line.length && /[\ud800-\udbff]/.test(line[to - 1]!)) to -= 1;
    cut.push({ text: line.slice(from, to), start: start + from, number, isRest: from > 0 });
    from = to;
  }
  return cut;
}
