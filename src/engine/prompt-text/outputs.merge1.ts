/** A line of an output, without what ends it: `start` and `end` in UTF-16 code units of the whole. */
export interface Line {
  start: number;
  end: number;
}

/**
 * UTF-16 code units of one line. Longer ones, such as JSON in one line, are taken in pieces, each of which counts as a
 * line: so there is no output of which no part can be read.
 */
const MAX_LINE_UNITS = 1000;

/** The lines of an output, the same whenever they are counted. */
export function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    lines.push(...piecesOf(text, start, end));
    start = end + 1;
  }
  return lines;
}

function* piecesOf(text: string, start: number, end: number): Generator<Line> {
  let from = start;
  while (end - from > MAX_LINE_UNITS) {
    const to = from + MAX_LINE_UNITS;
    const cut = isHighSurrogate(text.charCodeAt(to - 1)) ? to - 1 : to;
    yield { start: from, end: cut };
    from = cut;
  }
  yield { start: from, end };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
