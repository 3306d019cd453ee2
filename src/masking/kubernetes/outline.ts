import type { Range } from '../text.ts';

/** The range of a value without its quotes. `quote` is `|` for a block scalar. */
export interface Scalar extends Range {
  quote: '' | '"' | "'" | '|';
}

/** A key of a mapping, with the scalars of its value. Mappings in the value refer to the entry as their holder. */
export interface Entry {
  key: string;
  at: number;
  map: MapNode;
  scalars: Scalar[];
  /** The first mapping in the value. */
  child: MapNode | null;
  /** The part of the value read so far: `text` may continue on the next line, `list` may get more items. */
  value: 'none' | 'text' | 'list' | 'closed';
  fate: Fate;
}

/**
 * Treatment of a value. `metadata`: masks values of keys that object metadata does not have. `scalar`: masks
 * mappings, keeps scalars.
 */
export type Fate = 'keep' | 'mask' | 'metadata' | 'scalar';

/** The object around a mapping: none, a Secret, a list of Secrets, a list of any objects, or another object. */
export type Context = 'none' | 'secret' | 'secret-list' | 'list' | 'other';

export interface MapNode {
  holder: Entry | null;
  entries: Entry[];
  context: Context;
  marks: number;
}

/**
 * The mappings of a text, outer ones before inner ones, and the strings in which further objects may be
 * written.
 */
export interface Outline {
  text: string;
  maps: MapNode[];
  strings: Scalar[];
  /** False if the text was not read completely, so that values may be in the wrong place. */
  isClean: boolean;
}

/** Bits of `MapNode.marks`, for the keys that are typical of a Kubernetes object. */
export const MARK = { data: 1, kind: 2, metadata: 4, type: 8, version: 16 } as const;
const MARKS = new Map<string, number>([
  ['data', MARK.data],
  ['stringData', MARK.data],
  ['kind', MARK.kind],
  ['metadata', MARK.metadata],
  ['type', MARK.type],
  ['apiVersion', MARK.version],
]);

/** Initial value shared by all lists, because most of up to a hundred thousand lists stay empty. */
const NONE: never[] = [];
Object.freeze(NONE);

function added<T>(list: T[], item: T): T[] {
  if (list.length === 0) return [item];
  list.push(item);
  return list;
}

export function addMap(outline: Outline, holder: Entry | null): MapNode {
  const map: MapNode = { holder, entries: NONE, context: 'none', marks: 0 };
  if (holder) holder.child ??= map;
  outline.maps.push(map);
  return map;
}

export function addEntry(map: MapNode, key: string, at: number): Entry {
  const entry: Entry = { key, at, map, scalars: NONE, child: null, value: 'none', fate: 'keep' };
  map.entries = added(map.entries, entry);
  if (key.length >= 4) map.marks |= MARKS.get(key) ?? 0;
  return entry;
}

const SHORTEST_STRING = 12;

/** Adds a scalar to the entry that it belongs to, if any, and to the strings if it may contain an object. */
export function addScalar(outline: Outline, entry: Entry | null, scalar: Scalar): void {
  if (entry) entry.scalars = added(entry.scalars, scalar);
  if (scalar.quote !== '' && scalar.end - scalar.start >= SHORTEST_STRING) outline.strings.push(scalar);
}
