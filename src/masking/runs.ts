/** A table by character code of the signs that a run consists of. */
export function signsOf(pattern: RegExp): Uint8Array {
  const signs = new Uint8Array(65_536);
  for (let code = 0; code < 128; code++) if (pattern.test(String.fromCharCode(code))) signs[code] = 1;
  return signs;
}

/**
 * Finds the runs of certain signs that are long enough. Such a run goes over every so manyth place; most text has none there, and
 * is stepped over.
 * @param take gets the run [start, end)
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
