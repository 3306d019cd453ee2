import { maskedEnd } from '../masks.ts';
import { matchEnd } from '../text.ts';
import {
  addEntry,
  addMap,
  addScalar,
  type Entry,
  type MapNode,
  type Outline,
  type Scalar,
} from './outline.ts';

const STARTS_MAP = /\{\s{0,200}(?:["'}]|[\w./-]{1,100}\s?:|$)/y;
const STARTS_SEQUENCE = /\[\s{0,200}(?:["'{[\]]|$)/y;

/** True if a bracket looks like the start of JSON or of a YAML flow collection. */
export function startsFlow(text: string, at: number): boolean {
  const sign = text[at];
  return (
    (sign === '{' || sign === '[') && matchEnd(sign === '{' ? STARTS_MAP : STARTS_SEQUENCE, text, at) >= 0
  );
}

/** An open collection. `last` is a text that is a key if a colon follows; `entry` gets the next value. */
interface Frame {
  map: MapNode | null;
  entry: Entry | null;
  last: Scalar | null;
}

/**
 * Reads JSON or a YAML flow collection. Returns the end. Missing or wrong punctuation sets `isClean` to
 * false.
 */
export function readFlow(outline: Outline, start: number, holder: Entry | null): number {
  const { text } = outline;
  const stack: Frame[] = [];
  for (let at = start; at < text.length; ) {
    const char = text[at]!;
    const top = stack.at(-1);
    if (char <= ' ') at++;
    else if (char === '{' || (char === '[' && maskedEnd(text, at) < 0)) {
      const entry = top ? takesValue(outline, top) : holder;
      stack.push(
        char === '{'
          ? { map: addMap(outline, entry), entry: null, last: null }
          : { map: null, entry, last: null },
      );
      at++;
    } else if (char === '}' || char === ']') {
      settle(outline, top!);
      if ((char === '}') !== (top!.map !== null)) outline.isClean = false;
      stack.pop();
      at++;
      if (stack.length === 0) return at;
    } else if (char === ',') {
      settle(outline, top!);
      at++;
    } else if (char === ':') {
      takeKey(outline, top!);
      at++;
    } else {
      const scalar = readScalar(outline, at, top!.map !== null && top!.entry === null);
      placeScalar(outline, top!, scalar);
      at = scalar.quote === '' ? scalar.end : scalar.end + 1;
    }
  }
  for (const frame of stack) settle(outline, frame);
  outline.isClean = false;
  return text.length;
}

/** Returns the entry that gets a nested collection. A collection in place of a key gets an entry without a name. */
function takesValue(outline: Outline, top: Frame): Entry | null {
  if (top.map === null) return top.entry;
  if (top.entry === null || top.last !== null) outline.isClean = false;
  top.last = null;
  return top.entry ?? addEntry(top.map, '', 0);
}

function settle(outline: Outline, frame: Frame): void {
  if (frame.map === null) return;
  if (frame.entry === null && frame.last !== null) {
    outline.isClean = false;
    addScalar(outline, addEntry(frame.map, '', 0), frame.last);
  }
  // A key without a value: a bracket is missing.
  if (frame.entry?.value === 'none' && frame.entry.child === null) outline.isClean = false;
  frame.entry = null;
  frame.last = null;
}

function takeKey(outline: Outline, frame: Frame): void {
  const { map, last } = frame;
  if (map === null || last === null || frame.entry !== null) {
    outline.isClean = false;
    return;
  }
  frame.entry = addEntry(map, outline.text.slice(last.start, last.end), last.start);
  frame.last = null;
}

function placeScalar(outline: Outline, frame: Frame, scalar: Scalar): void {
  if (frame.map !== null && frame.entry === null) {
    if (frame.last !== null) {
      outline.isClean = false;
      addScalar(outline, addEntry(frame.map, '', 0), frame.last);
    }
    frame.last = scalar;
    return;
  }
  if (frame.map !== null && frame.entry) {
    if (frame.entry.value !== 'none' || frame.entry.child !== null) outline.isClean = false;
    if (scalar.quote !== '' || outline.text[scalar.start] !== '&') frame.entry.value = 'text';
  }
  addScalar(outline, frame.entry, scalar);
}

function readScalar(outline: Outline, at: number, isKey: boolean): Scalar {
  const { text } = outline;
  const quote = text[at]!;
  if (quote === '"' || quote === "'") {
    let end = quoteEnd(text, at + 1, quote.charCodeAt(0));
    while (text[end] === '\n') end = quoteEnd(text, end + 1, quote.charCodeAt(0));
    if (end === text.length) outline.isClean = false;
    return { start: at + 1, end, quote };
  }
  const masked = maskedEnd(text, at);
  return { start: at, end: masked >= 0 ? masked : plainEnd(text, at, isKey), quote: '' };
}

/** Returns the offset of the next unescaped quotation mark `quote`, or of the line end before it. */
export function quoteEnd(text: string, from: number, quote: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10) return at;
    if (code === 92 && quote === 34 && text.charCodeAt(at + 1) !== 10) at++;
    else if (code === quote) {
      if (code !== 39 || text.charCodeAt(at + 1) !== 39) return at;
      at++;
    }
  }
  return text.length;
}

/** Returns the end of a scalar without quotes. A colon ends a key, and a value only before a sign of JSON. */
function plainEnd(text: string, at: number, isKey: boolean): number {
  const anchor = text[at] === '&';
  let end = at + 1;
  for (; end < text.length; end++) {
    const char = text[end]!;
    if (char === ',' || char === '}' || char === ']' || char === '{' || char === '[' || char === '"') break;
    if (char === '\n' || char === '\r' || (anchor && char === ' ')) break;
    if (char === ':' && (isKey ? text[end + 1] !== '/' : /[\s"'{[,}\]]/.test(text[end + 1] ?? ' '))) break;
  }
  while (end > at + 1 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return end;
}
