import { type Layer, layerFrom } from './layer.ts';

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

/** Escapes of strings, URLs and HTML, colours of terminals, blanks beyond ASCII. */
const SIGN = new RegExp(
  [
    String.raw`\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|["'\\/nrtbf])`,
    '%[0-9A-Fa-f]{2}',
    '&(?:quot|apos|lt|gt|amp|nbsp|#\\d{1,5}|#x[0-9a-fA-F]{1,4});',
    '\\u001b\\[[0-9;]{0,20}[A-Za-z]',
    '[\\u00a0\\u2000-\\u200a\\u202f\\u3000]',
    '["\\n]',
  ].join('|'),
  'g',
);
/** What each text with an escape has; looked for one by one, because most are sooner found to be missing than a set of them. */
const BEGINNINGS = [
  ...'\\%&\u001b\u00a0\u202f\u3000',
  ...Array.from({ length: 11 }, (_, at) => String.fromCharCode(0x2000 + at)),
];

/**
 * The lines of a text that have escapes in them, each sign in place of its escape. A string's quotes become line ends, so that
 * what it says stands on lines of its own. Null when there are no escapes.
 */
export function withoutEscapes(text: string): Layer | null {
  if (!BEGINNINGS.some((sign) => text.includes(sign))) return null;
  const layer = layerFrom(text, 0);
  let done = -1;
  for (const line of linesWithSigns(text)) {
    // What stands between is left out.
    layer.replace(Math.max(done, 0), line.start, done < 0 ? '' : '\n');
    for (const { index, sign } of line.signs) {
      if (sign !== '"' || line.hasBackslash) layer.replace(index, index + sign.length, meaning(sign));
    }
    done = line.end;
  }
  return done < 0 ? null : layer.end(done);
}

interface Line {
  start: number;
  end: number;
  hasBackslash: boolean;
  signs: { index: number; sign: string }[];
}

function* linesWithSigns(text: string): Generator<Line> {
  let line: Line = { start: 0, end: 0, hasBackslash: false, signs: [] };
  let isWorth = false;
  for (const { 0: sign, index } of text.matchAll(SIGN)) {
    if (sign !== '\n') {
      line.signs.push({ index, sign });
      isWorth ||= sign !== '"';
      line.hasBackslash ||= sign[0] === '\\';
      continue;
    }
    if (isWorth) yield { ...line, end: index };
    line = { start: index + 1, end: 0, hasBackslash: false, signs: [] };
    isWorth = false;
  }
  if (isWorth) yield { ...line, end: text.length };
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
