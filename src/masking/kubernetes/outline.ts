import type { Range } from '../text.ts';

/** The range of a value without its quotes. `quote` is `|` for a block scalar, `\` for escaped text without quotes. */
export interface Scalar extends Range {
  quote: '' | '"' | "'" | '|' | '\\';
}

/** A key of a mapping with its values, including those in sequences of any depth. */
export interface Entry {
  key: string;
  at: number;
  scalars: Scalar[];
  /** Text that belongs to the value but is neither a scalar nor a mapping. */
  loose: Range[];
  maps: MapNode[];
  anchor: string | null;
  /** True if the value has an unclosed quote, so that the following lines may belong to it. */
  isUnclosed: boolean;
  fate: Fate;
}

/** Treatment of a value. `metadata`: masks keys unknown in object metadata; `scalar`: masks mappings, keeps scalars. */
export type Fate = 'keep' | 'mask' | 'metadata' | 'scalar';

/** The object around a mapping: none, a Secret, a list of Secrets, a list of any objects, or another object. */
export type Context = 'none' | 'secret' | 'secret-list' | 'list' | 'other';

export interface MapNode {
  parent: MapNode | null;
  parentEntry: Entry | null;
  entries: Entry[];
  /** Lines within the mapping that are neither keys nor values. */
  loose: Range[];
  context: Context | null;
  looseFate: 'keep' | 'mask';
  marks: number;
}

/** Bits of `MapNode.marks`, for the keys that are typical of a Kubernetes object. */
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

export interface Region extends Range {
  /** True if no bracket, quote, comma or key is missing. */
  clean: boolean;
  /** Contains the outermost mappings, and the values that are in no mapping. */
  holder: Entry;
  maps: MapNode[];
}

/** Initial value shared by all lists of an outline, because most of up to a hundred thousand lists stay empty. */
const NONE: never[] = [];
Object.freeze(NONE);

/** Adds an item to a list and returns the list, which is a new one if it was empty. */
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

export function adopt(region: Region, map: MapNode, entry: Entry): void {
  for (const child of region.holder.maps) {
    child.parent = map;
    child.parentEntry = entry;
    entry.maps = added(entry.maps, child);
  }
  for (const scalar of region.holder.scalars) entry.scalars = added(entry.scalars, scalar);
  for (const range of region.holder.loose) entry.loose = added(entry.loose, range);
}

/** Adds items to a list one by one, because `push` cannot take a million arguments. */
export function append<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}
