/** A range of text; `end` is exclusive. */
export interface Range {
  start: number;
  end: number;
}

/** Returns the end of a sticky expression's match at a position, or -1 without a match. */
export function matchEnd(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : -1;
}

export function lineEnd(text: string, at: number): number {
  const eol = text.indexOf('\n', at);
  return eol < 0 ? text.length : eol;
}

export function skipBlanks(text: string, from: number, end = text.length): number {
  let at = from;
  while (at < end && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9)) at++;
  return at;
}

/** Returns a table by character code, with 1 for the ASCII characters that match. */
export function characterTable(pattern: RegExp): Uint8Array {
  const signs = new Uint8Array(65_536);
  for (let code = 0; code < 128; code++) if (pattern.test(String.fromCharCode(code))) signs[code] = 1;
  return signs;
}

/**
 * Calls `take` for each run of at least `shortest` characters that `signs` marks. Checks only every
 * `shortest`-th character outside of runs, because each such run covers one of these.
 */
export function eachRun(
  text: string,
  signs: Uint8Array,
  shortest: number,
  take: (start: number, end: number) => void,
): void {
  const { length } = text;
  for (let at = 0; at + shortest <= length; ) {
    let end = at + shortest - 1;
    let before = end;
    while (before >= at && signs[text.charCodeAt(before)] === 1) before--;
    if (before === end) {
      at = end + 1;
      continue;
    }
    while (end < length && signs[text.charCodeAt(end)] === 1) end++;
    at = end;
    if (end - before > shortest) take(before + 1, end);
  }
}
