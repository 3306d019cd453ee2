// More matches than a user steps through.
const MAX_MATCHES = 10_000;

/** Returns the offsets of a text in another one, ignoring case, at most 10,000. */
export function findMatches(text: string, searchText: string): readonly number[] {
  if (searchText === '') return [];
  const pattern = new RegExp(searchText.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi');
  const offsets: number[] = [];
  for (const { index } of text.matchAll(pattern)) {
    offsets.push(index);
    if (offsets.length === MAX_MATCHES) break;
  }
  return offsets;
}
