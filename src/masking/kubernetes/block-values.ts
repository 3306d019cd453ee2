import { lineEnd, quoteEnd } from './flow.ts';
import { LONGEST_KEY } from './keys.ts';
import { added, adopt, type Entry, type MapNode, type Region, type Scalar } from './outline.ts';

/** A mapping that is open, and where its keys stand. */
export interface Frame {
  column: number;
  map: MapNode;
}

/** Where the reading of block style stands. */
export interface Reader {
  text: string;
  regions: readonly Region[];
  /** The first region that is not behind. */
  region: number;
  folded: ReadonlyMap<number, number>;
  /** Gets the mappings to which nothing will come any more. */
  finish: (maps: readonly MapNode[]) => void;
  /** The mappings that were found since. */
  maps: MapNode[];
  frames: Frame[];
  /** Outermost mappings of this document that are indented more than what follows: their key is lost. */
  strays: Frame[];
  /** A block scalar whose lines are indented more than `column`. */
  block: { column: number; entry: Entry; scalar: Scalar | null } | null;
  afterBlank: boolean;
  /** Text before this is read already. */
  next: number;
}

const BLOCK_HEADER = /^[|>][+-]?\d?[+-]?\s*(?:(?<=\s)#.*)?$/;
/** A tag is letters: whatever else begins like one may be a value. */
const PROPERTIES = /^(?:(?:!{1,2}[A-Za-z]{0,40}|&[\w-]{1,64})(?:[ \t]+|$))+/;

/** Tag and anchor before a key or value, with the blanks after them; null when there is none. */
export function propertiesAt(text: string, at: number, end: number): string | null {
  const sign = text.charCodeAt(at);
  if (sign !== 33 && sign !== 38) return null;
  return PROPERTIES.exec(text.slice(at, Math.min(end, at + LONGEST_KEY)))?.[0] ?? null;
}

/** The region that starts at a position; asked from the start of the text to its end. */
export function regionAt(reader: Reader, at: number): Region | undefined {
  const { regions } = reader;
  while (reader.region < regions.length && regions[reader.region]!.start < at) reader.region++;
  const region = regions[reader.region];
  return region?.start === at ? region : undefined;
}

/** Reads what stands behind a key, up to the end of its line. */
export function readValue(
  reader: Reader,
  map: MapNode,
  entry: Entry,
  from: number,
  end: number,
  column: number,
): void {
  const { text } = reader;
  let at = from;
  while (at < end && (text[at] === ' ' || text[at] === '\t')) at++;
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
  if (char === '#') entry.loose = added(entry.loose, { start: at, end });
  else if (
    (char === '|' || char === '>') &&
    BLOCK_HEADER.test(text.slice(at, Math.min(end, at + LONGEST_KEY)))
  ) {
    reader.block = { column, entry, scalar: null };
  } else if (char === '"' || char === "'") readQuoted(reader, entry, at, end);
  else if (end > at + 1 || (char !== '{' && char !== '[')) {
    // A bracket alone opens what stands on the lines below, and is no value.
    entry.scalars = added(entry.scalars, { start: at, end, quote: '' });
  }
}

/** A quoted value; when it does not close on its line its other lines follow as loose ones. */
function readQuoted(reader: Reader, entry: Entry, at: number, end: number): void {
  const { text } = reader;
  const quote = text[at] as '"' | "'";
  const foldedEnd = reader.folded.get(at + 1);
  const close = foldedEnd ?? quoteEnd(text, at);
  if (foldedEnd !== undefined) reader.next = foldedEnd + 1;
  entry.scalars = added(entry.scalars, { start: at + 1, end: close < 0 ? end : close, quote });
  entry.isUnclosed = close < 0 || close === text.length;
  if (close >= 0) addRest(entry, text, close + 1, foldedEnd === undefined ? end : lineEnd(text, close));
}

/** Adds what stands behind a value on its line, unless it is nothing but ends. */
export function addRest(entry: Entry, text: string, from: number, end: number): void {
  if (/[^\s,}\]]/.test(text.slice(from, end))) entry.loose = added(entry.loose, { start: from, end });
}
