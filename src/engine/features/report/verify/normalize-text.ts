/** A text in the form in which quotes are compared, with offsets into the original text. */
export interface NormalizedText {
  text: string;
  /** Original offset of each code unit of `text`, and of the end. */
  at: Uint32Array;
}

/** Removes differences that copying introduces: compatibility forms, white space, dashes, quotes, escape codes. */
export function normalizeText(text: string): NormalizedText {
  return /[\u0080-\uffff]/.test(text) ? normalizeUnicode(text) : normalizeAscii(text);
}

/** Faster variant for ASCII text, as most outputs are: takes a third of the time of `normalizeUnicode`. */
function normalizeAscii(text: string): NormalizedText {
  const units = Buffer.from(text, 'latin1');
  const at = new Uint32Array(text.length + 1);
  let length = 0;
  let spaced = true;
  for (let i = 0; i < units.length; ) {
    const code = units[i]!;
    const normalized = ASCII[code]!;
    if (normalized > SPACE || (normalized === SPACE && !spaced)) {
      units[length] = normalized; // overwrites only units that have been read
      at[length++] = i;
      spaced = normalized === SPACE;
    }
    i = code === 0x1b ? afterEscape(text, i) : i + 1;
  }
  at[length] = text.length;
  return { text: units.toString('latin1', 0, length), at: at.subarray(0, length + 1) };
}

function normalizeUnicode(text: string): NormalizedText {
  const out = createTextBuilder(text.length);
  let spaced = true; // drops white space at the beginning
  const add = (unit: number, from: number) => {
    if (unit !== SPACE || !spaced) out.add(unit, from);
    spaced = unit === SPACE;
  };
  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i);
    if (code < 0x80 && !(text.charCodeAt(i + 1) >= 0x300)) {
      const normalized = ASCII[code]!;
      if (normalized > 0) add(normalized, i);
      i = code === 0x1b ? afterEscape(text, i) : i + 1;
    } else {
      const end = clusterEnd(text, i);
      const normalized = end === i + 1 ? normalizedUnit(code) : normalizedCluster(text.slice(i, end));
      for (let k = 0; k < normalized.length; k++) add(normalized.charCodeAt(k), i);
      i = end;
    }
  }
  return out.finish(text.length);
}

export function normalizedString(text: string): string {
  return normalizeText(text).text.trim();
}

const SPACE = 0x20;
const QUOTE = 0x27;

/** Maximum UTF-16 code units of a character with its marks, because a hostile text may have millions of marks. */
const MAX_CLUSTER = 32;

/** Normalized code of each ASCII code; 0 if it is removed. */
const ASCII = Uint8Array.from({ length: 0x80 }, (_, code) => {
  if (code === SPACE || (code >= 0x09 && code <= 0x0d)) return SPACE;
  return code === 0x22 || code === 0x60 ? QUOTE : code > SPACE && code < 0x7f ? code : 0;
});

function clusterEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  let end = start + (first >= 0xd800 && first < 0xdc00 && start + 1 < text.length ? 2 : 1);
  while (end < text.length && end - start < MAX_CLUSTER && joins(text.charCodeAt(end))) end += 1;
  return end;
}

const MARK = /^[\p{M}\u1160-\u11ff\uff9e\uff9f]$/u;
/** Cache by code unit: 0 unknown, 1 a mark that joins the preceding character, 2 not. */
const JOINS = new Uint8Array(0x10000);

function joins(code: number): boolean {
  if (code < 0x300) return false;
  if (JOINS[code] === 0) JOINS[code] = MARK.test(String.fromCharCode(code)) ? 1 : 2;
  return JOINS[code] === 1;
}

const NORMALIZED_UNITS: (string | undefined)[] = [];

function normalizedUnit(code: number): string {
  NORMALIZED_UNITS[code] ??= normalizedCluster(String.fromCharCode(code));
  return NORMALIZED_UNITS[code];
}

const INVISIBLE = /\p{Cf}|\p{VS}|\u034f|\u115f/gu;
const QUOTES = /["`´‘’‚‛“”„‟‹›«»′″「」『』]/g;
const DASHES = /[\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]/g;

function normalizedCluster(cluster: string): string {
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

function afterEscape(text: string, start: number): number {
  const kind = text[start + 1];
  if (kind === '[') {
    let end = start + 2;
    while (end < text.length && end - start < MAX_ESCAPE && /[ -?]/.test(text[end]!)) end += 1;
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

const MAX_ESCAPE = 256;

/** Collects code units with their original offsets. @param expected expected number of units; more are allowed */
export function createTextBuilder(expected: number) {
  let units = new Uint16Array(expected);
  let at = new Uint32Array(expected + 1);
  let length = 0;
  let all = 0;
  return {
    add(unit: number, from: number): void {
      if (length === units.length) {
        units = new Uint16Array(units.buffer.transfer(units.byteLength * 2));
        at = new Uint32Array(at.buffer.transfer(at.byteLength * 2));
      }
      units[length] = unit;
      at[length++] = from;
      all |= unit;
    },
    finish(end: number): NormalizedText {
      at[length] = end;
      // Decodes as Latin-1 if all units fit, because such a string takes half the memory and is searched faster.
      const text =
        all < 0x100
          ? Buffer.from(units.subarray(0, length)).toString('latin1')
          : Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
      return { text, at: at.subarray(0, length + 1) };
    },
  };
}
