// More matches than a user steps through.
const MOST = 10_000;

/** Returns the offsets of a text in another one, ignoring case, at most 10,000. */
export function placesOf(text: string, wanted: string): readonly number[] {
  if (wanted === '') return [];
  const pattern = new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi');
  const places: number[] = [];
  for (const { index } of text.matchAll(pattern)) {
    places.push(index);
    if (places.length === MOST) break;
  }
  return places;
}
