import { lineEnd, skipBlanks } from '../text.ts';
import { quoteEnd } from './flow.ts';
import { LONGEST_KEY } from './keys.ts';
import { added, adopt, type Entry, type MapNode, type Region, type Scalar } from './outline.ts';

export interface Frame {
  column: number;
  map: MapNode;
}

export interface Reader {
  text: string;
  regions: readonly Region[];
  /** Index in `regions` of the next region to read. */
  region: number;
  folded: ReadonlyMap<number, number>;
  groups: MapNode[][];
  frames: Frame[];
  /** Outermost mappings that are indented more than the lines after them, because their parent key is missing. */
  strays: Frame[];
  /** The block scalar being read, whose lines are indented more than `column`; `null` if there is none. */
  block: { column: number; entry: Entry; scalar: Scalar | null } | null;
  afterBlank: boolean;
  lineStart: number;
  lineEnd: number;
  /** Text before this position has been read. */
  next: number;
}

const BLOCK_HEADER = /^[|>][+-]?\d?[+-]?\s*(?:(?<=\s)#.*)?$/;
/** Matches YAML tags and anchors. A tag has only letters, because `!` with other characters may be a value. */
const PROPERTIES = /^(?:(?:!{1,2}[A-Za-z]{0,40}|&[\w-]{1,64})(?:[ \t]+|$))+/;

/** Returns the YAML tag or anchor at a position, with the blanks after it; `null` if there is none. */
export function propertiesAt(text: string, at: number, end: number): string | null {
  const sign = text.charCodeAt(at);
  if (sign !== 33 && sign !== 38) return null;
  return PROPERTIES.exec(text.slice(at, Math.min(end, at + LONGEST_KEY)))?.[0] ?? null;
}

/** Returns the region that starts at a position, if any. Callers pass positions in ascending order. */
export function regionAt(reader: Reader, at: number): Region | undefined {
  const { regions } = reader;
  while (reader.region < regions.length && regions[reader.region]!.start < at) reader.region++;
  const region = regions[reader.region];
  return region?.start === at ? region : undefined;
}

export function readValue(reader: Reader, entry: Entry, from: number): void {
  const { text, lineEnd: end } = reader;
  const { map, column } = reader.frames.at(-1)!;
  let at = skipBlanks(text, from, end);
  const properties = propertiesAt(text, at, end);
  if (properties !== null) {
    entry.anchor = /&(\S+)/.exec(properties)?.[1] ?? null;
    at += properties.length;
  }
  if (at >= end) return;
  const region = regionAt(reader, at);
  if (region) {
    adopt(region, map, entry);
    if (region.clean) {
      reader.next = region.end;
      addRest(entry, text, region.end, lineEnd(text, region.end));
    }
    return;
  }
  const char = text[at]!;
  const isBlock = char === '|' || char === '>';
  if (char === '#') entry.loose = added(entry.loose, { start: at, end });
  else if (isBlock && BLOCK_HEADER.test(text.slice(at, Math.min(end, at + LONGEST_KEY)))) {
    reader.block = { column, entry, scalar: null };
  } else if (char === '"' || char === "'") readQuoted(reader, entry, at);
  else if (end > at + 1 || (char !== '{' && char !== '[')) {
    // A single bracket is no value, but opens a collection on the lines below.
    entry.scalars = added(entry.scalars, { start: at, end, quote: '' });
  }
}

/** Reads a quoted value. If no quote closes the value, the following lines are read as loose lines. */
function readQuoted(reader: Reader, entry: Entry, at: number): void {
  const { text, lineEnd: end } = reader;
  const quote = text[at] as '"' | "'";
  const foldedEnd = reader.folded.get(at + 1);
  const close = foldedEnd ?? quoteEnd(text, at);
  if (foldedEnd !== undefined) reader.next = foldedEnd + 1;
  entry.scalars = added(entry.scalars, { start: at + 1, end: close < 0 ? end : close, quote });
  entry.isUnclosed = close < 0 || close === text.length;
  if (close >= 0) addRest(entry, text, close + 1, foldedEnd === undefined ? end : lineEnd(text, close));
}

/** Adds the rest of a value's line as loose text, unless the rest is only blanks, commas and closing brackets. */
export function addRest(entry: Entry, text: string, from: number, end: number): void {
  if (/[^\s,}\]]/.test(text.slice(from, end))) entry.loose = added(entry.loose, { start: from, end });
}
