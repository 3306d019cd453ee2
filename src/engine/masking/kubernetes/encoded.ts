import type { Entry, MapNode, Range } from './outline.ts';

/** What the values under keys say about where they come from. */
export interface Values {
  /** Whether all values of an entry can be base64, the last one cut off perhaps; not when there are none. */
  isEncoded(entry: Entry): boolean;
  /** Whether the text ends within an entry: what would have said what it is may be cut off. */
  isLast(entry: Entry): boolean;
}

type Encoding = 'no' | 'empty' | 'yes';

/** Asked of entries within entries, so what was found out is kept. */
export function createValues(text: string, maps: readonly MapNode[]): Values {
  const encodings = new Map<Entry, Encoding>();
  let last: Set<Entry> | null = null;
  let contentEnd = -1;
  const isBase64 = (range: Range): Encoding => {
    if (contentEnd < 0) contentEnd = text.trimEnd().length;
    return encodingOf(text, range, contentEnd);
  };
  return {
    isEncoded: (entry) => encodingUnder(entry, encodings, isBase64) === 'yes',
    isLast(entry) {
      last ??= entriesAtEnd(maps, text.length);
      return last.has(entry);
    },
  };
}

/** An entry that is looked at, with what is still to be looked at below it. */
interface Visit {
  entry: Entry;
  below: Entry[];
  encoding: Encoding;
}

/** By a stack of its own: mappings may be nested as deep as the text is long. */
function encodingUnder(
  top: Entry,
  known: Map<Entry, Encoding>,
  encodingOf: (range: Range) => Encoding,
): Encoding {
  const visits = [visit(top, encodingOf)];
  for (let at = visits.at(-1); at && !known.has(top); at = visits.at(-1)) {
    const next = at.encoding === 'no' ? undefined : at.below.pop();
    const encoding = next && known.get(next);
    if (encoding !== undefined) at.encoding = both(at.encoding, encoding);
    else if (next) visits.push(visit(next, encodingOf));
    else {
      known.set(at.entry, at.encoding);
      visits.pop();
      const above = visits.at(-1);
      if (above) above.encoding = both(above.encoding, at.encoding);
    }
  }
  return known.get(top) ?? 'no';
}

function visit(entry: Entry, encodingOf: (range: Range) => Encoding): Visit {
  let encoding: Encoding = 'empty';
  for (const range of entry.scalars) {
    encoding = both(encoding, encodingOf(range));
    if (encoding === 'no') break;
  }
  return { entry, below: encoding === 'no' ? [] : entry.maps.flatMap(({ entries }) => entries), encoding };
}

function both(a: Encoding, b: Encoding): Encoding {
  if (a === 'no' || b === 'no') return 'no';
  return a === 'yes' ? a : b;
}

function encodingOf(text: string, { start, end }: Range, contentEnd: number): Encoding {
  let value = text.slice(start, end).trim();
  if (value.startsWith('"') || value.startsWith("'")) value = value.slice(1);
  let length = value.length;
  while (length > 0 && `"',\\`.includes(value[length - 1]!)) length--;
  value = value.slice(0, length);
  if (value === '' || value === 'null') return 'empty';
  if (!/^[A-Za-z0-9+/\s]+={0,2}$/.test(value)) return 'no';
  return value.replace(/\s/g, '').length % 4 !== 0 && end < contentEnd ? 'no' : 'yes';
}

/** The entries whose last value or line, however deep, reaches the end of the text. */
function entriesAtEnd(maps: readonly MapNode[], end: number): Set<Entry> {
  const found = new Set<Entry>();
  const add = (map: MapNode | null, entry: Entry | null) => {
    for (; entry && !found.has(entry); entry = map?.parentEntry ?? null, map = map?.parent ?? null)
      found.add(entry);
  };
  const reaches = (ranges: readonly Range[]) => ranges.some((range) => range.end === end);
  for (const map of maps) {
    if (reaches(map.loose)) add(map.parent, map.parentEntry);
    for (const entry of map.entries) if (reaches(entry.scalars) || reaches(entry.loose)) add(map, entry);
  }
  return found;
}
