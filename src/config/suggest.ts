/** Returns the name most similar to the written one, ignoring case; `null` if none is similar. */
export function nearestName(written: string, names: Iterable<string>): string | null {
  // At most a third of the characters may differ, so that short names do not match everything.
  let limit = Math.max(1, Math.floor(written.length / 3));
  let best: string | null = null;
  for (const name of names) {
    const distance = editDistance(written.toLowerCase(), name.toLowerCase());
    if (distance <= limit && (best === null || distance < limit)) {
      best = name;
      limit = distance;
    }
  }
  return best;
}

/** Returns `, did you mean "x"?`, or an empty text. */
export function didYouMean(written: string, names: Iterable<string>): string {
  const name = nearestName(written, names);
  return name === null ? '' : `, did you mean "${name}"?`;
}

/** Returns the Levenshtein distance; infinity if the lengths differ by more than 20. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 20) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
