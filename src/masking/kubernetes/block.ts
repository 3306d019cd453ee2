import { lineEnd, matchEnd, skipBlanks } from '../text.ts';
import { addRest, type Frame, propertiesAt, type Reader, readValue, regionAt } from './block-values.ts';
import { isAfterDiffSign } from './flow.ts';
import { LONGEST_KEY, matchKey } from './keys.ts';
import { addEntry, added, adopt, MARK, type MapNode, newEntry, newMap, type Region } from './outline.ts';

const SEPARATOR = /(?:---|\.\.\.)(?=\s|$)|```|~~~/y;
const AFTER_SEPARATOR = /---[ \t]+/y;

/** Reads YAML by indentation only; skips other text. Returns, per outermost mapping, a list of all mappings in it. */
export function readBlocks(
  text: string,
  regions: readonly Region[],
  folded: ReadonlyMap<number, number>,
): MapNode[][] {
  const reader: Reader = {
    text,
    regions,
    region: 0,
    folded,
    groups: [],
    frames: [],
    strays: [],
    block: null,
    afterBlank: false,
    lineStart: 0,
    lineEnd: 0,
    next: 0,
  };
  for (let start = 0; start < text.length; ) {
    const eol = lineEnd(text, start);
    let end = eol;
    while (end > start && (text[end - 1] === '\r' || text[end - 1] === ' ')) end--;
    reader.lineStart = text[start] === '\ufeff' ? start + 1 : start;
    reader.lineEnd = end;
    if (end > reader.next) readLine(reader);
    start = eol + 1;
  }
  return reader.groups;
}

function readLine(reader: Reader): void {
  const { text, lineStart, lineEnd: end, next } = reader;
  let at = skipBlanks(text, Math.max(lineStart, next), end);
  if (at === end) reader.afterBlank = true;
  if (at === end || next > lineStart || inBlock(reader, at)) return;
  if (matchEnd(SEPARATOR, text, at) >= 0) {
    reader.frames = [];
    reader.strays = [];
    at = matchEnd(AFTER_SEPARATOR, text, at);
    if (at < 0) return;
  }
  readItem(reader, at);
}

function inBlock(reader: Reader, at: number): boolean {
  const { block, lineEnd: end } = reader;
  if (!block) return false;
  if (at - reader.lineStart <= block.column) {
    reader.block = null;
    return false;
  }
  if (block.scalar) block.scalar.end = end;
  else {
    block.scalar = { start: at, end, quote: '|' };
    block.entry.scalars = added(block.entry.scalars, block.scalar);
  }
  return true;
}

/** Reads a line after its indentation: list dashes, then a key, a region in brackets or other text. */
function readItem(reader: Reader, from: number): void {
  const { text, lineStart, lineEnd: end } = reader;
  let at = from;
  let item = false;
  while (text[at] === '-' && (at + 1 >= end || text[at + 1] === ' ' || text[at + 1] === '\t')) {
    closeDeeper(reader, at - lineStart);
    item = true;
    at = skipBlanks(text, at + 1, end);
  }
  if (at >= end) return;
  if (isAfterDiffSign(text, at + 1) && regionAt(reader, at + 1)) at++;
  const column = at - lineStart;
  const region = regionAt(reader, at);
  if (region?.clean) {
    placeRegion(reader, region, column);
    return;
  }
  const keyAt = at + (propertiesAt(text, at, end)?.length ?? 0);
  const key = matchKey(text.slice(keyAt, Math.min(end, keyAt + LONGEST_KEY)));
  if (!key) {
    readOther(reader, at, item);
    return;
  }
  const { name, length, quoted } = key;
  const map = mapFor(reader, column, item, name);
  reader.afterBlank = false;
  const entry = newEntry(name, keyAt + (quoted ? 1 : 0));
  addEntry(map, entry);
  readValue(reader, entry, keyAt + length);
}

function closeDeeper(reader: Reader, column: number): void {
  while ((reader.frames.at(-1)?.column ?? -1) > column) {
    const frame = reader.frames.pop()!;
    if (frame.map.parent === null) reader.strays.push(frame);
  }
}

function mapFor(reader: Reader, column: number, item: boolean, key: string): MapNode {
  closeDeeper(reader, column);
  const top = reader.frames.at(-1);
  const same = top?.column === column && !item;
  if (same && !startsAnother(reader, top.map, key)) return top.map;
  if (top?.column === column) reader.frames.pop();
  const parent = same ? top.map.parent : (reader.frames.at(-1)?.map ?? null);
  const map = newMap(parent, same ? top.map.parentEntry : (parent?.entries.at(-1) ?? null));
  const adopts = parent === null && !item && !reader.afterBlank && adoptStrays(reader, map, column);
  if (parent === null && !adopts) reader.groups.push([]);
  reader.groups.at(-1)!.push(map);
  reader.frames.push({ column, map });
  reader.strays = [];
  return map;
}

/** True if a key is not part of the mapping: the key starts the next object without a separator, or is prose. */
function startsAnother(reader: Reader, { marks }: MapNode, key: string): boolean {
  if (key === 'apiVersion' && (marks & MARK.version) !== 0) return true;
  // Keeps these keys in a mapping with an object's keys, because the mapping may be the rest of a truncated object.
  if (key === 'apiVersion' || (key === 'kind' && reader.afterBlank)) return marks === 0;
  return reader.afterBlank && (/\s/.test(key) || /^[A-Z]/.test(key));
}

function adoptStrays(reader: Reader, map: MapNode, column: number): boolean {
  const strays = reader.strays.filter((stray) => stray.column > column);
  if (strays.length === 0) return false;
  const lost = newEntry('', 0);
  addEntry(map, lost);
  for (const stray of strays) {
    stray.map.parent = map;
    stray.map.parentEntry = lost;
    lost.maps = added(lost.maps, stray.map);
  }
  return true;
}

function placeRegion(reader: Reader, region: Region, column: number): void {
  closeDeeper(reader, column);
  const parent = reader.frames.at(-1)?.map;
  const entry = parent?.entries.at(-1);
  if (parent && entry) {
    adopt(region, parent, entry);
    addRest(entry, reader.text, region.end, lineEnd(reader.text, region.end));
  }
  reader.next = region.end;
}

/** Adds a line without a key as loose text. Closes no mapping, because the next lines may belong to the open ones. */
function readOther(reader: Reader, at: number, item: boolean): void {
  const { lineStart, lineEnd: end } = reader;
  const column = at - lineStart;
  const frame = frameAt(reader.frames, column) ?? reader.frames[0];
  if (!frame) return;
  const entry = frame.map.entries.at(-1);
  if (entry && (item || column > frame.column)) entry.loose = added(entry.loose, { start: at, end });
  else frame.map.loose = added(frame.map.loose, { start: at, end });
}

/** Returns the innermost frame at or left of a column. Uses bisection, because there may be very many frames. */
function frameAt(frames: readonly Frame[], column: number): Frame | undefined {
  let low = 0;
  let high = frames.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (frames[middle]!.column <= column) low = middle + 1;
    else high = middle;
  }
  return frames[low - 1];
}
