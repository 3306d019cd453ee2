import { maskedEnd } from '../masks.ts';
import { lineEnd, matchEnd, skipBlanks } from '../text.ts';
import { quoteEnd, readFlow, startsFlow } from './flow.ts';
import { addEntry, addMap, addScalar, type Entry, MARK, type MapNode, type Outline } from './outline.ts';

const SEPARATOR = /(?:---|\.\.\.)[ \t]*(?=\r?$)|```|~~~/my;
const BLOCK_HEADER = /[|>][+-]?\d?[+-]?[ \t]{0,80}(?:(?<=[ \t])#[^\n]*)?\r?(?:\n|$)/y;
/** Matches YAML tags and anchors. A tag has only letters, because `!` with other characters may be a value. */
const PROPERTIES = /(?:(?:!{1,2}[A-Za-z]{0,40}|&[\w-]{1,64})(?:[ \t]{1,80}|(?=\r?$)))+/my;
/** Matches quoted and plain keys. A plain key may contain spaces but not start with YAML punctuation. */
const KEY =
  /^(?:"((?:[^"\\]|\\.){0,300})"|'((?:[^']|''){0,300})'|((?:[^\s"'#&*!|>%@`{}[\],:-]|[-:](?=\S))(?:[^:#"]|(?<!=)"|:(?=[^\s])|(?<=\S)#){0,300}?))[ \t]{0,20}:(?=\s|$)/;
/** Matches a key of one word. Nearly all keys are such, and this expression is faster than KEY. */
const WORD = /[A-Za-z0-9_]{1,100}:(?=\s|$)/y;
const LONGEST_KEY = 400;
const REST = /^[\s,}\]]*(?:#.*)?$/;
/** Matches the beginning of JSON whose quotes are escaped, as in a part of a string. */
const ESCAPED_FLOW = /[{[](?:\s|[{[]){0,20}\\{1,63}["nrt]/y;

interface Frame {
  column: number;
  map: MapNode;
}

/**
 * A line: `at` is the offset of its first character after blanks and list dashes, `dash` the column of its
 * last dash, or -1.
 */
interface Line {
  start: number;
  at: number;
  end: number;
  next: number;
  dash: number;
}

interface Reader extends Outline {
  frames: Frame[];
  /** The column at which the open outermost mapping or list begins. */
  base: number;
  /** The `base` of an object that a sentence ended; deeper lines after it may belong to the object. -1 if none. */
  ended: number;
  afterBlank: boolean;
}

/**
 * Reads YAML by its indentation, and JSON wherever it begins. Sentences around objects are skipped.
 * @param stops true to stop as soon as `isClean` is false
 */
export function readOutline(text: string, stops: boolean): Outline {
  const reader: Reader = {
    text,
    maps: [],
    strings: [],
    isClean: true,
    frames: [],
    base: -1,
    ended: -1,
    afterBlank: false,
  };
  for (let start = text[0] === '\ufeff' ? 1 : 0; start < text.length && (reader.isClean || !stops); )
    start = readLine(reader, start);
  return reader;
}

function readLine(reader: Reader, start: number): number {
  const { text } = reader;
  const eol = lineEnd(text, start);
  let end = eol;
  while (end > start && (text[end - 1] === '\r' || text[end - 1] === ' ')) end--;
  const line: Line = { start, at: skipBlanks(text, start, end), end, next: eol + 1, dash: -1 };
  if (line.at === end) {
    reader.afterBlank = true;
    return line.next;
  }
  if (matchEnd(SEPARATOR, text, line.at) >= 0) {
    reader.frames = [];
    reader.ended = -1;
    return line.next;
  }
  while (isDash(text, line)) {
    line.dash = line.at - start;
    closeDeeper(reader, line.dash);
    line.at = skipBlanks(text, line.at + 1, end);
  }
  return line.at === end ? line.next : readContent(reader, line);
}

function isDash(text: string, { at, end }: Line): boolean {
  return text[at] === '-' && (at + 1 >= end || text[at + 1] === ' ' || text[at + 1] === '\t');
}

/** Reads a line after its indentation and dashes: a comment, a collection in brackets, a key or other text. */
function readContent(reader: Reader, line: Line): number {
  const { text } = reader;
  const { at, end, dash, start } = line;
  const column = at - start;
  if (text[at] === '#') {
    const entry = entryAbove(reader, column + 1) ?? reader.frames[0]?.map.entries.at(-1);
    if (entry) addScalar(reader, entry, { start: at, end, quote: '' });
    return line.next;
  }
  const from = Math.max(at, matchEnd(PROPERTIES, text, at));
  if (startsFlow(text, from) && maskedEnd(text, from) < 0) {
    const entry = entryAbove(reader, dash < 0 ? column : dash + 1);
    takeValue(reader, entry, dash < 0 ? 'closed' : 'list');
    return afterValue(reader, entry, readFlow(reader, from, entry));
  }
  const key = matchKey(text.slice(from, Math.min(end, from + LONGEST_KEY)));
  if (!key) return readOther(reader, line, column);
  const map = mapFor(reader, column, dash, key.name);
  reader.afterBlank = false;
  return readValue(reader, addEntry(map, key.name, from + key.quotes), { ...line, at: from + key.length });
}

function matchKey(line: string): { name: string; length: number; quotes: number } | null {
  const length = matchEnd(WORD, line, 0);
  if (length >= 0) return { name: line.slice(0, length - 1), length, quotes: 0 };
  const match = line.includes(':') ? KEY.exec(line) : null;
  if (!match) return null;
  const quoted = match[1] ?? match[2];
  return { name: quoted ?? match[3]!.trim(), length: match[0].length, quotes: quoted === undefined ? 0 : 1 };
}

function closeDeeper(reader: Reader, column: number): void {
  while ((reader.frames.at(-1)?.column ?? -1) > column) reader.frames.pop();
}

/** Returns the last entry of the innermost open mapping left of a column. Bisects, because there may be very many. */
function entryAbove({ frames }: Reader, column: number): Entry | null {
  let low = 0;
  let high = frames.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (frames[middle]!.column < column) low = middle + 1;
    else high = middle;
  }
  return frames[low - 1]?.map.entries.at(-1) ?? null;
}

/**
 * Records that an entry gets a further value of this kind. Sets `isClean` to false if the entry cannot have
 * it, because the text is then misread.
 */
function takeValue(reader: Reader, entry: Entry | null, value: Entry['value']): void {
  if (!entry) return;
  if (entry.value !== 'none' && (entry.value !== value || value === 'closed')) reader.isClean = false;
  entry.value = value;
}

function mapFor(reader: Reader, column: number, dash: number, key: string): MapNode {
  const { frames } = reader;
  const wasOpen = frames.length > 0;
  closeDeeper(reader, column);
  const top = frames.at(-1);
  const isSame = top?.column === column && dash < 0;
  if (isSame && !startsAnother(reader, top.map, key)) return top.map;
  if (top?.column === column) frames.pop();
  const holder = frames.at(-1)?.map.entries.at(-1) ?? null;
  if (holder) takeValue(reader, holder, dash < 0 ? 'closed' : 'list');
  else {
    // The lines before were deeper, so that the line with their key is missing.
    if (wasOpen && !isSame && dash < 0) reader.isClean = false;
    reader.base = dash < 0 ? column : dash;
    checkEnded(reader, reader.base);
  }
  const map = addMap(reader, holder);
  frames.push({ column, map });
  return map;
}

/** True if a key is not part of the mapping: the key starts the next object without a separator, or is prose. */
function startsAnother(reader: Reader, { marks }: MapNode, key: string): boolean {
  if (key === 'apiVersion') return (marks & MARK.version) !== 0 || marks === 0;
  if (key === 'kind') return marks === 0 && reader.afterBlank;
  return reader.afterBlank && (/\s/.test(key) || /^[A-Z]/.test(key));
}

function checkEnded(reader: Reader, column: number): void {
  if (reader.ended >= 0 && column > reader.ended) reader.isClean = false;
}

function readValue(reader: Reader, entry: Entry, line: Line): number {
  const { text } = reader;
  const { end } = line;
  const column = reader.frames.at(-1)!.column;
  let at = skipBlanks(text, line.at, end);
  at = Math.max(at, matchEnd(PROPERTIES, text, at));
  if (at >= end) return line.next;
  if (text[at] === '#') addScalar(reader, entry, { start: at, end, quote: '' });
  else if (matchEnd(BLOCK_HEADER, text, at) >= 0) return readBlock(reader, entry, line, column);
  else if (text[at] === '"' || text[at] === "'") return readQuoted(reader, entry, at, column);
  else if (startsFlow(text, at) && maskedEnd(text, at) < 0) {
    entry.value = 'closed';
    return afterValue(reader, entry, readFlow(reader, at, entry));
  } else {
    entry.value = 'text';
    addScalar(reader, entry, { start: at, end, quote: '' });
  }
  return line.next;
}

/** Reads the lines of a block scalar, which are indented more than `column`. */
function readBlock(reader: Reader, entry: Entry, line: Line, column: number): number {
  const { text } = reader;
  let first = -1;
  let end = -1;
  let next = line.next;
  while (next < text.length) {
    const eol = lineEnd(text, next);
    const at = skipBlanks(text, next, eol);
    if (at < eol && text[at] !== '\r') {
      if (at - next <= column) break;
      if (first < 0) first = next;
      end = text[eol - 1] === '\r' ? eol - 1 : eol;
    }
    next = eol + 1;
  }
  entry.value = 'closed';
  if (first >= 0) addScalar(reader, entry, { start: first, end, quote: '|' });
  return next;
}

/** Reads a quoted value up to its last quote. Further lines are indented more than `column`. */
function readQuoted(reader: Reader, entry: Entry | null, at: number, column: number): number {
  const { text } = reader;
  const quote = text[at] as '"' | "'";
  let end = quoteEnd(text, at + 1, quote.charCodeAt(0));
  while (text[end] === '\n') {
    const first = skipBlanks(text, end + 1);
    if (!/[\r\n]/.test(text[first] ?? ' ') && first - end - 1 <= column) break;
    end = quoteEnd(text, first, quote.charCodeAt(0));
  }
  addScalar(reader, entry, { start: at + 1, end, quote });
  if (entry) entry.value = entry.value === 'list' ? 'list' : 'closed';
  if (text[end] === quote) return afterValue(reader, entry, end + 1);
  reader.isClean = false;
  return end + 1;
}

/** Returns the start of the line after a value. More text on the value's line shows that the value was misread. */
function afterValue(reader: Reader, entry: Entry | null, end: number): number {
  const eol = lineEnd(reader.text, end);
  if (!REST.test(reader.text.slice(end, eol))) {
    reader.isClean = false;
    addScalar(reader, entry, { start: end, end: eol, quote: '' });
  }
  return eol + 1;
}

/** Reads a line without a key: more of a value, an item of a list, or a sentence, which ends the object. */
function readOther(reader: Reader, line: Line, column: number): number {
  const { at, end, dash } = line;
  const { text } = reader;
  const entry = entryAbove(reader, dash < 0 ? column : dash + 1);
  if (entry || dash >= 0) {
    takeValue(reader, entry, dash < 0 ? 'text' : 'list');
    if (dash >= 0 && (text[at] === '"' || text[at] === "'")) return readQuoted(reader, entry, at, dash);
    addScalar(reader, entry, { start: at, end, quote: '' });
    return line.next;
  }
  checkEnded(reader, column);
  if (reader.frames.length > 0) reader.ended = reader.base;
  reader.frames = [];
  return readSentence(reader, line);
}

/** Reads the objects and strings within a sentence or a line of a log. */
function readSentence(reader: Reader, { at, end, next }: Line): number {
  const { text } = reader;
  const starts = /[{["\n]/g;
  starts.lastIndex = at;
  for (let hit = starts.exec(text); hit && hit.index < end; hit = starts.exec(text)) {
    const { index } = hit;
    if (hit[0] === '"') {
      const close = quoteEnd(text, index + 1, 34);
      // A string without escapes is not opened, because its content is read like the text around it.
      if (text[close] !== '"' || !text.slice(index, close).includes('\\')) continue;
      addScalar(reader, null, { start: index + 1, end: close, quote: '"' });
      starts.lastIndex = close + 1;
    } else if (matchEnd(ESCAPED_FLOW, text, index) >= 0) {
      addScalar(reader, null, { start: index, end, quote: '"' });
      return next;
    } else if (
      startsFlow(text, index) &&
      !/[\w)\]}]/.test(text[index - 1] ?? ' ') &&
      maskedEnd(text, index) < 0
    ) {
      const stop = readFlow(reader, index, null);
      if (/\w/.test(text[stop] ?? '')) reader.isClean = false;
      if (stop >= end) return lineEnd(text, stop) + 1;
      starts.lastIndex = stop;
    }
  }
  return next;
}
