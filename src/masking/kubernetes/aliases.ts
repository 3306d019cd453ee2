import type { Range } from '../text.ts';
import { append, type Entry, type MapNode } from './outline.ts';

/** Returns the ranges of the anchored YAML values to which masked aliases refer, because they are secret too. */
export function aliased(text: string, maps: readonly MapNode[], masked: readonly Range[]): Range[] {
  const entries = maps.flatMap((map) => map.entries).filter(({ anchor }) => anchor !== null);
  const anchors = Map.groupBy(entries, ({ anchor }) => anchor!);
  const found: Range[] = [];
  const seen = new Set<MapNode>();
  const follow = ({ start, end }: Range) => {
    if (text.charCodeAt(start) !== 42) return; // *
    const alias = /^\*([^\s,{}[\]]+)/.exec(text.slice(start, Math.min(end, start + 200)))?.[1] ?? '';
    const anchored = anchors.get(alias) ?? [];
    anchors.delete(alias);
    for (const entry of anchored) if (entry.fate !== 'mask') append(found, rangesUnder(entry, seen));
  };
  for (const range of masked) follow(range);
  // A found value may itself be an alias; this loop also visits the ranges that it adds.
  for (const range of found) follow(range);
  return found;
}

/** Returns all values under an entry. @param seen mappings collected before, because anchors may be nested */
function rangesUnder({ scalars, loose, maps }: Entry, seen: Set<MapNode>): Range[] {
  const ranges: Range[] = [...scalars, ...loose];
  const pending = [...maps];
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
  return ranges;
}
