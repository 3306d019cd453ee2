import { append, type Entry, type MapNode, type Range } from './outline.ts';

/** What stands behind the aliases among the masked values from the `first` on: their anchored entries elsewhere. */
export function aliased(
  text: string,
  maps: readonly MapNode[],
  masked: readonly Range[],
  first: number,
): Range[] {
  if (!text.includes('&') || !text.includes('*')) return [];
  const anchors = anchored(maps);
  const found: Range[] = [];
  let pending: readonly Range[] = masked.slice(first);
  while (pending.length > 0 && anchors.size > 0) {
    const ranges: Range[] = [];
    for (const { start, end } of pending) {
      if (text.charCodeAt(start) !== 42) continue; // *
      const alias = /^\*([^\s,{}[\]]+)/.exec(text.slice(start, Math.min(end, start + 200)))?.[1];
      const entries = alias === undefined ? undefined : anchors.get(alias);
      if (alias === undefined || !entries) continue;
      anchors.delete(alias);
      append(ranges, entries.flatMap(everythingUnder));
    }
    append(found, ranges);
    pending = ranges;
  }
  return found;
}

function anchored(maps: readonly MapNode[]): Map<string, Entry[]> {
  const anchors = new Map<string, Entry[]>();
  for (const { entries } of maps) {
    for (const entry of entries) {
      if (entry.anchor === null) continue;
      const same = anchors.get(entry.anchor);
      if (same) same.push(entry);
      else anchors.set(entry.anchor, [entry]);
    }
  }
  return anchors;
}

/** All values and lines of an entry, however deep. */
export function everythingUnder(entry: Entry): Range[] {
  const ranges: Range[] = [];
  const pending = [entry];
  for (let each = pending.pop(); each; each = pending.pop()) {
    append(ranges, each.scalars);
    append(ranges, each.loose);
    for (const map of each.maps) {
      append(ranges, map.loose);
      append(pending, map.entries);
    }
  }
  return ranges;
}
