/** A stretch of text; `end` is exclusive. */
export interface Range {
  start: number;
  end: number;
}

/** A value without its quotes; `quote` is `|` for a block of lines. */
export interface Scalar extends Range {
  quote: '' | '"' | "'" | '|';
}

/** A key of a mapping and all that stands under it, however deep in sequences. */
export interface Entry {
  key: string;
  at: number;
  scalars: Scalar[];
  /** Lines that belong to the value but fit no form. */
  loose: Range[];
  maps: MapNode[];
  anchor: string | null;
  /** Its value opened a quote that nothing closed: what follows may belong to it. */
  isUnclosed: boolean;
  fate: Fate;
}

/**
 * What becomes of an entry's values. `metadata`: only those that have no business in an object's metadata are masked;
 * `scalar`: a single value is kept, what else got under the entry is masked.
 */
export type Fate = 'keep' | 'mask' | 'metadata' | 'scalar';

/** Where a mapping stands: in a Secret, in a list that holds Secrets only, in a list of anything, in another object. */
export type Context = 'none' | 'secret' | 'secret-list' | 'list' | 'other';

/** A mapping as far as it could be read, of JSON or YAML. */
export interface MapNode {
  parent: MapNode | null;
  parentEntry: Entry | null;
  entries: Entry[];
  /** Lines within the mapping that are neither keys nor values. */
  loose: Range[];
  /** Null until it is decided. */
  context: Context | null;
  /** What becomes of the loose lines. */
  looseFate: 'keep' | 'mask';
  /** Which telling keys it has, of `MARK`. */
  marks: number;
}

/** Keys that tell what an object is. */
export const MARK = { data: 1, kind: 2, metadata: 4, type: 8, version: 16, immutable: 32 } as const;
const MARKS = new Map<string, number>([
  ['data', MARK.data],
  ['stringData', MARK.data],
  ['kind', MARK.kind],
  ['metadata', MARK.metadata],
  ['type', MARK.type],
  ['apiVersion', MARK.version],
  ['immutable', MARK.immutable],
]);
const SHORTEST_MARK = 4;

/** A bracketed piece of text, `{…}` or `[…]`. */
export interface Region extends Range {
  /** Every bracket and quote in it is closed. */
  clean: boolean;
  /** What stands in it outside mappings, and its outermost mappings. */
  holder: Entry;
}

/** The list that all lists of an outline begin as: most stay empty, and there are a hundred thousand of them. */
const NONE: never[] = [];
Object.freeze(NONE);

/** The list with one more item: the same one, unless it was the empty one. */
export function added<T>(list: T[], item: T): T[] {
  if (list.length === 0) return [item];
  list.push(item);
  return list;
}

export function newEntry(key: string, at: number): Entry {
  return { key, at, scalars: NONE, loose: NONE, maps: NONE, anchor: null, isUnclosed: false, fate: 'keep' };
}

export function addEntry(map: MapNode, entry: Entry): void {
  map.entries = added(map.entries, entry);
  if (entry.key.length >= SHORTEST_MARK) map.marks |= MARKS.get(entry.key) ?? 0;
}

export function newMap(parent: MapNode | null, parentEntry: Entry | null): MapNode {
  const map: MapNode = {
    parent,
    parentEntry,
    entries: NONE,
    loose: NONE,
    context: null,
    looseFate: 'keep',
    marks: 0,
  };
  if (parentEntry) parentEntry.maps = added(parentEntry.maps, map);
  return map;
}

/** Puts what a region holds under an entry of the text around it. */
export function adopt(region: Region, map: MapNode, entry: Entry): void {
  for (const child of region.holder.maps) {
    child.parent = map;
    child.parentEntry = entry;
    entry.maps = added(entry.maps, child);
  }
  for (const scalar of region.holder.scalars) entry.scalars = added(entry.scalars, scalar);
  for (const range of region.holder.loose) entry.loose = added(entry.loose, range);
}

/** Adds to a list, however long the other is: as arguments of a call, a million items are too many. */
export function append<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}
