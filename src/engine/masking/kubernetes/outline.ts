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
  /** What becomes of the loose lines: kept, masked, or masked when they look like the rest of a value. */
  looseFate: 'keep' | 'mask' | 'suspect';
}

/** A bracketed piece of text, `{…}` or `[…]`. */
export interface Region extends Range {
  /** Every bracket and quote in it is closed. */
  clean: boolean;
  /** What stands in it outside mappings, and its outermost mappings. */
  holder: Entry;
}

export function newEntry(key: string, at: number): Entry {
  return { key, at, scalars: [], loose: [], maps: [], anchor: null, fate: 'keep' };
}

export function newMap(parent: MapNode | null, parentEntry: Entry | null): MapNode {
  const map: MapNode = {
    parent,
    parentEntry,
    entries: [],
    loose: [],
    context: null,
    looseFate: 'keep',
  };
  parentEntry?.maps.push(map);
  return map;
}

/** Puts what a region holds under an entry of the text around it. */
export function adopt(region: Region, map: MapNode, entry: Entry): void {
  for (const child of region.holder.maps) {
    child.parent = map;
    child.parentEntry = entry;
    entry.maps.push(child);
  }
  append(entry.scalars, region.holder.scalars);
  append(entry.loose, region.holder.loose);
}

/** Adds to a list, however long the other is: as arguments of a call, a million items are too many. */
export function append<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}
