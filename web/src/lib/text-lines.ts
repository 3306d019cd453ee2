// A line of megabytes would be laid out whole; cut, the window's width breaks it anyway.
const LONGEST_LINE = 2_000;

/** A line, or a piece of one. */
export interface TextLine {
  readonly text: string;
  /** Its place in the whole text, in UTF-16 code units. */
  readonly start: number;
}

/** The lines of a text; those that are very long, in pieces. */
export function textLines(text: string): readonly TextLine[] {
  let start = 0;
  return text.split('\n').flatMap((line) => {
    const from = start;
    start += line.length + 1;
    return line.length <= LONGEST_LINE ? [{ text: line, start: from }] : pieces(line, from);
  });
}

function pieces(line: string, start: number): TextLine[] {
  const cut: TextLine[] = [];
  for (let from = 0; from < line.length; ) {
    let to = Math.min(line.length, from + LONGEST_LINE);
    // A character of two code units must not be torn apart.
    if (to < line.length && /[\ud800-\udbff]/.test(line[to - 1]!)) to -= 1;
    cut.push({ text: line.slice(from, to), start: start + from });
    from = to;
  }
  return cut;
}
