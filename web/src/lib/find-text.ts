/** Minimum length of a query to find (characters); a shorter query matches almost everything. */
export const MIN_FIND_LENGTH = 2;

/** Maximum number of matches: more than a viewer steps through. */
const MAX_MATCHES = 10_000;

/** Returns a pattern that matches the text literally; by default, case is ignored. */
export function literalPattern(text: string, flags = 'i'): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags);
}

/** Returns the offsets (UTF-16 code units) of `query` in `text`, ignoring case; at most MAX_MATCHES. */
export function findOffsets(text: string, query: string): readonly number[] {
  if (query === '') return [];
  const offsets: number[] = [];
  for (const { index } of text.matchAll(literalPattern(query, 'gi'))) {
    offsets.push(index);
    if (offsets.length === MAX_MATCHES) break;
  }
  return offsets;
}
