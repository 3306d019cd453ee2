// A line of megabytes would be laid out whole; cut, the window's width breaks it anyway.
const LONGEST_LINE = 2_000;

/** The lines of a text; those that are very long, in pieces. */
export function textLines(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => (line.length <= LONGEST_LINE ? [line] : pieces(line)));
}

function pieces(line: string): string[] {
  const cut: string[] = [];
  for (let from = 0; from < line.length; ) {
    let to = Math.min(line.length, from + LONGEST_LINE);
    // A character of two code units must not be torn apart.
    if (to < line.length && /[\ud800-\udbff]/.test(line[to - 1]!)) to -= 1;
    cut.push(line.slice(from, to));
    from = to;
  }
  return cut;
}
