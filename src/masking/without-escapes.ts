import { type Layer, layerFrom } from './layer.ts';
import { characterTable, lineEnd, matchEnd, type Range } from './text.ts';

const MEANINGS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\n',
  t: '\t',
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  amp: '&',
  nbsp: ' ',
};

/** Matches characters of HTML, and terminal colours. */
const MARKUP = '&(?:quot|apos|lt|gt|amp|nbsp|#\\d{1,5}|#x[0-9a-fA-F]{1,4});|\\u001b\\[[0-9;]{0,20}[A-Za-z]';
const IS_MARKUP = new RegExp(MARKUP, 'g');
const BACKSLASHED = String.raw`\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|["'\\/nrtbf])`;
/** Matches escapes of strings, URLs and HTML, terminal colours and non-ASCII blanks. */
const ESCAPES = [BACKSLASHED, '%[0-9A-Fa-f]{2}', MARKUP, '[\\u00a0\\u2000-\\u200a\\u202f\\u3000]'].join('|');
const ESCAPE = new RegExp(ESCAPES, 'y');
const IS_BACKSLASHED = new RegExp(BACKSLASHED, 'y');
/** The codes of the characters that begin an escape. */
const BEGINNINGS = [...'\\%&\u001b\u00a0\u202f\u3000'].map((sign) => sign.charCodeAt(0));
const BEGINS = new Uint8Array(65_536);
for (const code of [...BEGINNINGS, ...Array.from({ length: 11 }, (_, at) => 0x2000 + at)]) BEGINS[code] = 1;

const OPENS = new Set(['(', '{', ':']);

/**
 * Returns the lines with escapes, with one level resolved; `null` if the text has none. In a line with
 * backslash escapes, an unescaped `"` becomes a line end, so that the strings of the line are read apart.
 */
export function withoutEscapes(text: string): Layer | null {
  const layer = layerFrom(text, 0);
  let done = -1;
  let last = 0;
  for (let start = 0, end = 0; start < text.length; last = start, start = end + 1) {
    end = lineEnd(text, start);
    const first = nextEscape(text, start, end, ESCAPE);
    if (first === end) continue;
    // A value may be on the line after the bracket that opens it.
    const from = last > done && OPENS.has(text[start - 2] ?? '') ? last : start;
    layer.replace(Math.max(done, 0), from, done < 0 ? '' : '\n');
    const hasBackslashes = nextEscape(text, first, end, IS_BACKSLASHED) < end;
    for (let at = hasBackslashes ? start : first; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE && hasBackslashes) layer.replace(at, at + 1, '\n');
      const stop = BEGINS[code] === 1 ? matchEnd(ESCAPE, text, at) : -1;
      if (stop < 0) continue;
      layer.replace(at, stop, meaning(text.slice(at, stop)));
      at = stop - 1;
    }
    done = end;
  }
  return done < 0 ? null : layer.end(done);
}

const QUOTE = 34;

/** Returns the start of the first escape from a position, or the end of the line. */
function nextEscape(text: string, from: number, end: number, form: RegExp): number {
  let at = from;
  while (at < end && !(BEGINS[text.charCodeAt(at)] === 1 && matchEnd(form, text, at) >= 0)) at++;
  return at;
}

function meaning(sign: string): string {
  const kind = sign[0]!;
  if (kind === '\u001b') return '';
  if (kind > '\u007f') return ' ';
  if (kind === '%') return String.fromCharCode(Number.parseInt(sign.slice(1), 16));
  const name = kind === '&' ? sign.slice(1, -1) : sign.slice(1);
  const known = MEANINGS[name] ?? (name.length === 1 ? name : undefined);
  if (known !== undefined) return known;
  const [, base = '', digits = ''] = /^(#x|#|u|x)([0-9a-fA-F]+)$/.exec(name) ?? [];
  return digits === '' ? name : String.fromCharCode(Number.parseInt(digits, base === '#' ? 10 : 16));
}

/** Returns a text without terminal colours, and with characters of HTML resolved. */
export function withoutMarkup(text: string): string {
  return text.includes('\u001b[') || text.includes('&') ? text.replace(IS_MARKUP, meaning) : text;
}

const FOLD = '(?:\\r{0,3}\\n[ \\t]*)+';
const IN_DOUBLE = new RegExp(
  `\\\\\\r{0,3}\\n[ \\t]*|\\\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^\\r\\n])|${FOLD}`,
  'y',
);
const IN_SINGLE = new RegExp(`''|${FOLD}`, 'y');
const BEGINS_IN_QUOTES = characterTable(/[\\'\r\n]/);

/** Returns the text of a YAML or JSON scalar with its escapes resolved. A single line end within quotes becomes a blank. */
export function unescapedScalar(source: string, { start, end, quote }: Range & { quote: string }): Layer {
  const layer = layerFrom(source, start);
  const sign = quote === '"' ? IN_DOUBLE : IN_SINGLE;
  for (let at = quote === '|' ? end : start; at < end; at++) {
    if (BEGINS_IN_QUOTES[source.charCodeAt(at)] !== 1) continue;
    const stop = Math.min(matchEnd(sign, source, at), end);
    if (stop < 0) continue;
    layer.replace(at, stop, scalarMeaning(source.slice(at, stop)));
    at = stop - 1;
  }
  return layer.end(end);
}

function scalarMeaning(sign: string): string {
  const lines = sign.includes('\n') ? sign.split('\n').length - 1 : 0;
  if (lines > 0) return sign.startsWith('\\') ? '' : lines === 1 ? ' ' : '\n'.repeat(lines - 1);
  return sign === "''" ? "'" : sign === '\\r' ? '\r' : meaning(sign);
}
