/**
 * Where a pattern stands in a text, overlapping places included, in time linear in both whatever they hold. `indexOf` is fast, but
 * compares again and again what repeats itself: such patterns take the slower way that never goes back.
 */
export function* occurrences(text: string, pattern: string): Generator<number> {
  if (pattern === '' || pattern.length > text.length) return;
  if (repeatsItself(pattern)) {
    yield* withoutGoingBack(text, pattern);
    return;
  }
  for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) yield at;
}

/** UTF-16 code units that a part of a pattern may share with another part of it that overlaps it. */
const MAX_OVERLAP = 32;

function repeatsItself(pattern: string): boolean {
  return (
    longestOverlap(pattern) > MAX_OVERLAP || longestOverlap([...pattern].reverse().join('')) > MAX_OVERLAP
  );
}

function longestOverlap(pattern: string): number {
  return overlaps(pattern).reduce((most, length) => Math.max(most, length), 0);
}

/** By length of a beginning: the longest shorter beginning that it ends with. */
function overlaps(pattern: string): Uint32Array {
  const table = new Uint32Array(pattern.length);
  for (let i = 1, matched = 0; i < pattern.length; i++) {
    while (matched > 0 && pattern.charCodeAt(i) !== pattern.charCodeAt(matched))
      matched = table[matched - 1]!;
    if (pattern.charCodeAt(i) === pattern.charCodeAt(matched)) matched += 1;
    table[i] = matched;
  }
  return table;
}

/** Knuth, Morris and Pratt. */
function* withoutGoingBack(text: string, pattern: string): Generator<number> {
  const table = overlaps(pattern);
  for (let i = 0, matched = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    while (matched > 0 && code !== pattern.charCodeAt(matched)) matched = table[matched - 1]!;
    if (code === pattern.charCodeAt(matched)) matched += 1;
    if (matched === pattern.length) {
      yield i + 1 - matched;
      matched = table[matched - 1]!;
    }
  }
}
