/** A text in the form in which quotes are compared, with the way back. */
export interface Folded {
  text: string;
  /** By code unit of `text`: where it began in the original; one more at the end. */
  at: Uint32Array;
}

/**
 * Makes equal what copying changes: compatibility forms (NFKC), white space (a run is one space), dashes, quotation marks and backticks,
 * escape codes of terminals, invisible characters. Case counts. Linear: clusters are composed in pieces of bounded length.
 */
export function fold(text: string): Folded {
  return OTHER.test(text) ? foldAny(text) : foldAscii(text);
}

const OTHER = /[\u0080-\uffff]/;

/** Most outputs are plain: what needs no look at what follows takes a third of the time. */
function foldAscii(text: string): Folded {
  const units = Buffer.from(text, 'latin1');
  const at = new Uint32Array(text.length + 1);
  let length = 0;
  let spaced = true;
  for (let i = 0; i < units.length; ) {
    const code = units[i]!;
    const folded = ASCII[code]!;
    if (folded > SPACE || (folded === SPACE && !spaced)) {
      units[length] = folded; // what is still to be read comes later
      at[length++] = i;
      spaced = folded === SPACE;
    }
    i = code === 0x1b ? afterEscape(text, i) : i + 1;
  }
  at[length] = text.length;
  return { text: units.toString('latin1', 0, length), at: at.subarray(0, length + 1) };
}

function foldAny(text: string): Folded {
  let units = new Uint16Array(text.length);
  let at = new Uint32Array(text.length + 1);
  let length = 0;
  let all = 0;
  let spaced = true; // nothing but white space so far: none is kept at the beginning
  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i);
    if (code < 0x80 && !(text.charCodeAt(i + 1) >= 0x300)) {
      const folded = ASCII[code]!;
      if (folded > SPACE || (folded === SPACE && !spaced)) {
        units[length] = folded;
        at[length++] = i;
        spaced = folded === SPACE;
      }
      i = code === 0x1b ? afterEscape(text, i) : i + 1;
    } else {
      const end = clusterEnd(text, i);
      const folded = end === i + 1 ? foldedUnit(code) : foldedCluster(text.slice(i, end));
      const room = length + folded.length + text.length - end;
      if (room > units.length) [units, at] = [longer(units, room), longer(at, room + 1)];
      for (let k = 0; k < folded.length; k++) {
        const unit = folded.charCodeAt(k);
        if (unit === SPACE && spaced) continue;
        units[length] = unit;
        at[length++] = i;
        all |= unit;
        spaced = unit === SPACE;
      }
      i = end;
    }
  }
  return foldedOf(units, at, length, all, text.length);
}

/** The same with room for more: at least a half more than there is, so that it is seldom made. */
function longer<T extends Uint16Array | Uint32Array>(units: T, room: number): T {
  const made = new (units.constructor as new (length: number) => T)(
    Math.max(room, Math.ceil(units.length * 1.5)),
  );
  made.set(units);
  return made;
}

function foldedOf(units: Uint16Array, at: Uint32Array, length: number, all: number, end: number): Folded {
  at[length] = end;
  // Text of one byte a unit takes half the memory, and is searched faster.
  const text =
    all < 0x100
      ? Buffer.from(units.subarray(0, length)).toString('latin1')
      : Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
  return { text, at: at.subarray(0, length + 1) };
}

/** Only the text of it. */
export function foldText(text: string): string {
  return fold(text).text.trim();
}

const SPACE = 0x20;
const QUOTE = 0x27;

/** UTF-16 code units of a base and its marks that are composed together: real ones have a few, hostile ones millions. */
const MAX_CLUSTER = 32;

function isAsciiSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** What becomes of each ASCII code; 0: it is left out. */
const ASCII = Uint8Array.from({ length: 0x80 }, (_, code) => {
  if (isAsciiSpace(code)) return SPACE;
  return code === 0x22 || code === 0x60 ? QUOTE : code > SPACE && code < 0x7f ? code : 0;
});

function clusterEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  let end = start + (first >= 0xd800 && first < 0xdc00 && start + 1 < text.length ? 2 : 1);
  while (end < text.length && end - start < MAX_CLUSTER && joins(text.charCodeAt(end))) end += 1;
  return end;
}

const MARK = /^[\p{M}\u1160-\u11ff\uff9e\uff9f]$/u;
/** By code unit: 0 not known yet, 1 a mark that joins what is before it, 2 not. What a pure function gave, kept. */
const JOINS = new Uint8Array(0x10000);

function joins(code: number): boolean {
  if (code < 0x300) return false;
  if (JOINS[code] === 0) JOINS[code] = MARK.test(String.fromCharCode(code)) ? 1 : 2;
  return JOINS[code] === 1;
}

/** What a pure function gave for one code unit, kept: texts in other scripts repeat their letters. */
const FOLDED_UNITS: (string | undefined)[] = [];

function foldedUnit(code: number): string {
  FOLDED_UNITS[code] ??= foldedCluster(String.fromCharCode(code));
  return FOLDED_UNITS[code];
}

const INVISIBLE = /\p{Cf}|\p{VS}|\u034f|\u115f/gu;
const QUOTES = /["`´‘’‚‛“”„‟‹›«»′″「」『』]/g;
const DASHES = /[\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]/g;

function foldedCluster(cluster: string): string {
  return cluster
    .replace(INVISIBLE, '')
    .replace(QUOTES, "'")
    .normalize('NFKC')
    .replace(QUOTES, "'")
    .replace(DASHES, '-')
    .replace(/[\s\u0085]/g, ' ')
    .replaceAll('≥', '>=')
    .replaceAll('≤', '<=')
    .replaceAll('≠', '!=')
    .replaceAll('\u2044', '/')
    .replaceAll('μ', 'µ');
}

/** Where the text goes on after an escape code of terminals. */
function afterEscape(text: string, start: number): number {
  const kind = text[start + 1];
  if (kind === '[') {
    let end = start + 2;
    while (end < text.length && end - start < MAX_ESCAPE && isParameter(text.charCodeAt(end))) end += 1;
    return Math.min(end + 1, text.length);
  }
  if (kind === ']') {
    const window = text.slice(start + 2, start + MAX_ESCAPE);
    const ends = ['\u0007', '\u001b\\']
      .map((mark) => window.indexOf(mark) + mark.length)
      .filter((end) => end > 1);
    return start + 2 + (ends.length > 0 ? Math.min(...ends) : 0);
  }
  return Math.min(start + 2, text.length);
}

/** UTF-16 code units; what is longer is no escape code. */
const MAX_ESCAPE = 256;
const isParameter = (code: number) => code >= 0x20 && code <= 0x3f;

/** Collects at most so many code units, with where they come from. */
export function createUnits(most: number) {
  const units = new Uint16Array(most);
  const at = new Uint32Array(most + 1);
  let length = 0;
  let all = 0;
  return {
    add(unit: number, from: number): void {
      units[length] = unit;
      at[length++] = from;
      all |= unit;
    },
    finish: (end: number): Folded => foldedOf(units, at, length, all, end),
  };
}
