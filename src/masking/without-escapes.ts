import { type Layer, layerFrom } from './layer.ts';
import { lineEnd, type Range } from './text.ts';

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
const HAS_ESCAPE = new RegExp(ESCAPES);
const HAS_BACKSLASHED = new RegExp(BACKSLASHED);
const SIGN = new RegExp(`${ESCAPES}|"`, 'g');
const SIGN_BUT_QUOTE = new RegExp(ESCAPES, 'g');

/** First characters of escapes. Searching for each is faster than one expression for all. */
const BEGINNINGS = [
  ...'\\%&\u001b\u00a0\u202f\u3000',
  ...Array.from({ length: 11 }, (_, at) => String.fromCharCode(0x2000 + at)),
];

const OPENS = new Set(['(', '{', ':']);

/** Returns only lines with escapes, resolved by one level, or `null`. With backslashes, each bare `"` ends a line. */
export function withoutEscapes(text: string): Layer | null {
  if (!BEGINNINGS.some((sign) => text.includes(sign))) return null;
  const layer = layerFrom(text, 0);
  let done = -1;
  let last = 0;
  for (let start = 0, end = 0; start < text.length; last = start, start = end + 1) {
    end = lineEnd(text, start);
    const line = text.slice(start, end);
    if (!HAS_ESCAPE.test(line)) continue;
    // A value may be on the line after the bracket that opens it.
    const from = last > done && OPENS.has(text[start - 2] ?? '') ? last : start;
    layer.replace(Math.max(done, 0), from, done < 0 ? '' : '\n');
    for (const { index, 0: sign } of line.matchAll(HAS_BACKSLASHED.test(line) ? SIGN : SIGN_BUT_QUOTE))
      layer.replace(start + index, start + index + sign.length, meaning(sign));
    done = end;
  }
  return done < 0 ? null : layer.end(done);
}

function meaning(sign: string): string {
  if (sign === '"') return '\n';
  const kind = sign[0]!;
  if (kind === '\u001b') return '';
  if (kind > '\u007f') return ' ';
  if (kind === '%') return String.fromCharCode(Number.parseInt(sign.slice(1), 16));
  const name = kind === '&' ? sign.slice(1, -1) : sign.slice(1);
  const known = MEANINGS[name];
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
  'g',
);
const IN_SINGLE = new RegExp(`''|${FOLD}`, 'g');

/** Returns the text of a YAML or JSON scalar with its escapes resolved. A single line end within quotes becomes a blank. */
export function unescapedScalar(source: string, { start, end, quote }: Range & { quote: string }): Layer {
  const layer = layerFrom(source, start);
  const signs = quote === '"' ? IN_DOUBLE : IN_SINGLE;
  if (quote !== '|')
    for (const { index, 0: sign } of source.slice(start, end).matchAll(signs))
      layer.replace(start + index, start + index + sign.length, scalarMeaning(sign));
  return layer.end(end);
}

function scalarMeaning(sign: string): string {
  const lines = sign.split('\n').length - 1;
  if (lines > 0) return sign.startsWith('\\') ? '' : lines === 1 ? ' ' : '\n'.repeat(lines - 1);
  return sign === "''" ? "'" : sign === '\\r' ? '\r' : meaning(sign);
}
