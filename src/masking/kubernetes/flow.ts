import { maskedEnd } from '../masks.ts';
import { lineEnd, matchEnd, type Range } from '../text.ts';
import {
  addEntry,
  added,
  type Entry,
  type MapNode,
  newEntry,
  newMap,
  type Region,
  type Scalar,
} from './outline.ts';

interface Frame {
  isMap: boolean;
  map: MapNode | null;
  /** The entry that gets the next value; `null` in a mapping before its next key. */
  entry: Entry | null;
  /** The last scalar of this frame, which is a key if a colon follows. */
  last: Scalar | null;
  awaits: boolean;
}

const STARTS_MAP = /\{\s{0,200}(?:["'}]|[\w./-]{1,100}\s?:|$)/y;
const STARTS_SEQUENCE = /\[\s{0,200}(?:["'{[\]]|$)/y;

/** True if a bracket looks like the start of JSON or of a YAML flow collection. */
export function startsFlow(text: string, at: number): boolean {
  // A bracket within a word is an index or part of a value.
  if (at > 0 && !/[\s:=(,"'`>|[{]/.test(text[at - 1]!) && !isAfterDiffSign(text, at)) return false;
  return matchEnd(text[at] === '{' ? STARTS_MAP : STARTS_SEQUENCE, text, at) >= 0;
}

/** True if only the `+` or `-` of a diff precedes a position on its line. */
export function isAfterDiffSign(text: string, at: number): boolean {
  const sign = text[at - 1];
  return (sign === '+' || sign === '-') && (at === 1 || text[at - 2] === '\n');
}

/** Reads JSON or a YAML flow collection up to its closing bracket. Tolerates missing commas and wrong brackets. */
export function readFlow(text: string, start: number, folded: ReadonlyMap<number, number>): Region {
  const region: Region = { start, end: text.length, clean: false, holder: newEntry('', start), maps: [] };
  const stack: Frame[] = [];
  const open = { '{': 0, '[': 0 };
  let clean = true;
  let at = start;
  while (at < text.length) {
    const char = text[at]!;
    const top = stack.at(-1);
    // A key without a value: its opening bracket is missing, so the next closing bracket closes the missing one.
    if (top?.awaits && (char === '}' || char === ',')) clean = false;
    if (char === '{' || (char === '[' && maskedEnd(text, at) < 0)) {
      stack.push(openFrame(char, top, region));
      open[char]++;
      at++;
    } else if (char === '}' || char === ']') {
      at++;
      const kind = char === '}' ? '{' : '[';
      if (open[kind] === 0) {
        clean = false;
        continue;
      }
      for (let closed = false; !closed; ) {
        const frame = stack.pop()!;
        settle(frame);
        open[frame.isMap ? '{' : '[']--;
        closed = frame.isMap === (char === '}');
        if (!closed) clean = false;
      }
      if (stack.length === 0) {
        region.end = at;
        // A word directly after the bracket shows that the bracket was part of a value.
        region.clean = clean && !/\w/.test(text[at] ?? '');
        return region;
      }
    } else if (char === ',') {
      if (top) settle(top);
      at++;
    } else if (char === ':' && top) {
      // A colon without a key, or after a scalar that was read as a value: something before the scalar is missing.
      if (top.last === null || (top.isMap && top.entry !== null)) clean = false;
      takeKey(top, text);
      at++;
    } else if (char <= ' ') {
      at++;
    } else {
      const token = readScalar(text, at, top?.isMap === true && top.entry === null, folded.get(at + 1));
      // An unclosed quote, or two scalars in a row: a comma or quote is missing, and the next key may be a value.
      if (!token.complete || (top?.last != null && text[top.last.start] !== '&')) clean = false;
      at = token.next;
      if (top) placeScalar(top, token.scalar, text);
    }
  }
  stack.forEach(settle);
  return region;
}

function openFrame(char: '{' | '[', top: Frame | undefined, region: Region): Frame {
  if (top) top.awaits = false;
  const parent = top?.map ?? null;
  const entry = top?.entry ?? (top?.isMap ? null : region.holder) ?? orphan(top);
  if (char === '[') return { isMap: false, map: parent, entry, last: null, awaits: false };
  const map = newMap(parent, entry);
  region.maps.push(map);
  return { isMap: true, map, entry: null, last: null, awaits: false };
}

function orphan(top: Frame | undefined): Entry | null {
  if (!top?.map) return null;
  const entry = newEntry('', 0);
  addEntry(top.map, entry);
  return entry;
}

function settle(frame: Frame): void {
  if (frame.isMap && frame.entry === null && frame.last !== null) addLoose(frame.map, frame.last);
  if (frame.isMap) frame.entry = null;
  frame.last = null;
  frame.awaits = false;
}

function addLoose(map: MapNode | null, range: Range): void {
  if (map) map.loose = added(map.loose, range);
}

function takeKey(frame: Frame, text: string): void {
  if (!frame.isMap || frame.last === null) return;
  const { last } = frame;
  // Without a comma before the key, the key was read as a value of the previous entry.
  if (frame.entry?.scalars.at(-1) === last) frame.entry.scalars.pop();
  frame.entry = newEntry(text.slice(last.start, last.end), last.start);
  if (frame.map) addEntry(frame.map, frame.entry);
  frame.last = null;
  frame.awaits = true;
}

function placeScalar(frame: Frame, scalar: Scalar, text: string): void {
  frame.awaits = false;
  if (frame.isMap && frame.entry === null) {
    if (frame.last !== null) addLoose(frame.map, frame.last);
    frame.last = scalar;
    return;
  }
  if (frame.entry === null) return;
  if (scalar.quote === '' && text[scalar.start] === '&') {
    frame.entry.anchor = text.slice(scalar.start + 1, scalar.end);
    return;
  }
  frame.entry.scalars = added(frame.entry.scalars, scalar);
  frame.last = scalar;
}

function readScalar(
  text: string,
  at: number,
  keyNext: boolean,
  foldedEnd: number | undefined,
): { scalar: Scalar; next: number; complete: boolean } {
  const char = text[at]!;
  if (char === '"' || char === "'") {
    const end = foldedEnd ?? quoteEnd(text, at);
    const complete = end >= 0 && end < text.length;
    const stop = end >= 0 ? end : lineEnd(text, at);
    return { scalar: { start: at + 1, end: stop, quote: char }, next: complete ? stop + 1 : stop, complete };
  }
  const masked = maskedEnd(text, at);
  if (masked >= 0) return { scalar: { start: at, end: masked, quote: '' }, next: masked, complete: true };
  const end = plainEnd(text, at, keyNext);
  return { scalar: { start: at, end, quote: '' }, next: end, complete: true };
}

/** Returns the position of the quote that closes the one at `at` on the same line, or -1. */
export function quoteEnd(text: string, at: number): number {
  return closingQuote(text, at + 1, text[at]!);
}

export function closingQuote(text: string, from: number, quote: string): number {
  const close = quote.charCodeAt(0);
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10) return -1;
    if (code === 92 && close === 34 && text.charCodeAt(at + 1) !== 10) at++;
    else if (code === close) {
      if (close === 39 && text.charCodeAt(at + 1) === close) at++;
      else return at;
    }
  }
  return -1;
}

function plainEnd(text: string, at: number, keyNext: boolean): number {
  const anchor = text[at] === '&';
  let end = at + 1;
  for (; end < text.length; end++) {
    const char = text[end]!;
    if (char === ',' || char === '}' || char === ']' || char === '{' || char === '[' || char === '"') break;
    if (char === '\n' || char === '\r' || (anchor && char === ' ')) break;
    if (char === ':' && (keyNext ? text[end + 1] !== '/' : /[\s"'{[,}\]]/.test(text[end + 1] ?? ' '))) break;
  }
  while (end > at + 1 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return end;
}
