import { append, type Entry, type MapNode, type Range } from './outline.ts';

/** Returns the values of the anchors that masked aliases refer to. @param first index of the first masked value to check */
export function aliased(
  text: string,
  maps: readonly MapNode[],
  masked: readonly Range[],
  first: number,
): Range[] {
  const anchors = anchored(maps);
  const found: Range[] = [];
  const seen = new Set<MapNode>();
  const follow = ({ start, end }: Range) => {
    if (text.charCodeAt(start) !== 42) return; // *
    const alias = /^\*([^\s,{}[\]]+)/.exec(text.slice(start, Math.min(end, start + 200)))?.[1];
    const entries = alias === undefined ? undefined : anchors.get(alias);
    if (alias === undefined || !entries) return;
    anchors.delete(alias);
    for (const entry of entries) collectUnder(entry, found, seen);
  };
  for (let at = first; at < masked.length && anchors.size > 0; at++) follow(masked[at]!);
  // The found values may be aliases too.
  for (let at = 0; at < found.length && anchors.size > 0; at++) follow(found[at]!);
  return found;
}

function anchored(maps: readonly MapNode[]): Map<string, Entry[]> {
  const entries = maps.flatMap((map) => map.entries).filter(({ anchor }) => anchor !== null);
  return Map.groupBy(entries, ({ anchor }) => anchor!);
}

/** @param seen collected mappings, because anchors may be nested */
function collectUnder(entry: Entry, ranges: Range[], seen: Set<MapNode>): void {
  if (entry.fate === 'mask') return; // all of it is masked already
  append(ranges, entry.scalars);
  append(ranges, entry.loose);
  if (entry.maps.length === 0) return;
  const pending = [...entry.maps];
  for (let map = pending.pop(); map; map = pending.pop()) {
    if (seen.has(map)) continue;
    seen.add(map);
    append(ranges, map.loose);
    for (const { scalars, loose, maps } of map.entries) {
      append(ranges, scalars);
      append(ranges, loose);
      append(pending, maps);
    }
  }
}

/** True if a text may contain aliases, so that one mapping is a part of another. */
export function mayRefer(text: string): boolean {
  return text.includes('&') && text.includes('*');
}
