/** Returns a table by character code, with 1 for the ASCII characters that match. */
export function characterTable(pattern: RegExp): Uint8Array {
  const signs = new Uint8Array(65_536);
  for (let code = 0; code < 128; code++) if (pattern.test(String.fromCharCode(code))) signs[code] = 1;
  return signs;
}

/**
 * Finds runs of certain characters with a minimum length. Checks only every `shortest`-th position first, because a long
 * enough run covers one of them.
 * @param take gets each run [start, end)
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
