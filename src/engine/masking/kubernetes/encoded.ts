import type { Entry, MapNode, Range } from './outline.ts';

/** What the values under keys say about where they come from. */
export interface Values {
  /** Whether all values of an entry can be base64, the last one cut off perhaps; not when there are none. */
  isEncoded(entry: Entry): boolean;
  /** Whether the text ends within an entry: what would have said what it is may be cut off. */
  isLast(entry: Entry): boolean;
}

/** The data of a Secret is flat; a broken indentation makes it a bit deeper (mappings within mappings). */
const DEEPEST_DATA = 4;

type Encoding = 'no' | 'empty' | 'yes';

export function createValues(text: string, maps: readonly MapNode[]): Values {
  let last: Set<Entry> | null = null;
  let contentEnd = -1;
  const encodingOf = (entry: Entry, depth: number): Encoding => {
    if (contentEnd < 0) contentEnd = text.trimEnd().length;
    let found: Encoding = 'empty';
    for (const range of entry.scalars) {
      const encoding = scalarEncoding(text, range, contentEnd);
      if (encoding === 'no') return 'no';
      if (encoding === 'yes') found = 'yes';
    }
    for (const { entries } of entry.maps) {
      for (const each of entries) {
        const encoding = depth < DEEPEST_DATA ? encodingOf(each, depth + 1) : 'no';
        if (encoding === 'no') return 'no';
        if (encoding === 'yes') found = 'yes';
      }
    }
    return found;
  };
  return {
    isEncoded: (entry) => encodingOf(entry, 1) === 'yes',
    isLast(entry) {
      last ??= entriesAtEnd(maps, lastValueEnd(text));
      return last.has(entry);
    },
  };
}

function scalarEncoding(text: string, { start, end }: Range, contentEnd: number): Encoding {
  let value = text.slice(start, end).trim();
  if (value.startsWith('"') || value.startsWith("'")) value = value.slice(1);
  let length = value.length;
  while (length > 0 && `"',\\`.includes(value[length - 1]!)) length--;
  value = value.slice(0, length);
  if (value === '' || value === 'null') return 'empty';
  if (!/^[A-Za-z0-9+/\s]+={0,2}$/.test(value)) return 'no';
  return value.replace(/\s/g, '').length % 4 !== 0 && end < contentEnd ? 'no' : 'yes';
}

/** Where a text's last value ends: one that ends with a comma, or with a quote behind it, is cut off before the next key. */
function lastValueEnd(text: string): number {
  const end = endWithout(text, text.length, ` \t\r\n"'\\`);
  return text[end - 1] === ',' ? endWithout(text, end - 1, ` \t\r\n"'\\}]`) : end;
}

/** End of a text's beginning without certain signs at its end. */
function endWithout(text: string, end: number, signs: string): number {
  let at = end;
  while (at > 0 && signs.includes(text[at - 1]!)) at--;
  return at;
}

/** The entries whose last value or line, however deep, reaches a position. */
function entriesAtEnd(maps: readonly MapNode[], end: number): Set<Entry> {
  const found = new Set<Entry>();
  const add = (map: MapNode | null, entry: Entry | null) => {
    for (; entry && !found.has(entry); entry = map?.parentEntry ?? null, map = map?.parent ?? null)
      found.add(entry);
  };
  const reaches = (ranges: readonly Range[]) => ranges.some((range) => range.end >= end);
  for (const map of maps) {
    if (reaches(map.loose)) add(map.parent, map.parentEntry);
    for (const entry of map.entries) if (reaches(entry.scalars) || reaches(entry.loose)) add(map, entry);
  }
  return found;
}
