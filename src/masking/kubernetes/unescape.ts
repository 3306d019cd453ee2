import { type Layer, layerFrom } from '../layer.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: ' ',
  f: ' ',
  '0': ' ',
  '\n': '',
};

/**
 * The quoting of a text: double quotes, YAML's single quotes, escapes without quotes, or none. A single line end within
 * quotes means a blank.
 */
export type Quoting = 'double' | 'single' | 'escaped' | 'plain';

/** Resolves the escapes of [start, end). */
export function unescapeRange(source: string, start: number, end: number, quoting: Quoting): Layer {
  const layer = layerFrom(source, start);
  for (let at = nextSign(source, start, end, quoting); at < end; at = nextSign(source, at, end, quoting)) {
    const sign = at;
    at = signEnd(source, sign, end, quoting);
    layer.replace(sign, at, meaning(source.slice(sign, at)));
  }
  return layer.end(end);
}

/** Returns the start of the next escape or line end in quotes; `end` if there is none. */
function nextSign(source: string, from: number, end: number, quoting: Quoting): number {
  if (quoting === 'plain') return end;
  for (let at = from; at < end; at++) {
    const code = source.charCodeAt(at);
    if (code === 92 && quoting !== 'single' && at + 1 < end) return at;
    if (code === 39 && quoting === 'single' && at + 1 < end && source.charCodeAt(at + 1) === 39) return at;
    if ((code === 10 || code === 13) && quoting !== 'escaped' && lineEndLength(source, at, end) > 0)
      return at;
  }
  return end;
}

/** Returns the end of the escape or line ends that start at a position. */
function signEnd(source: string, at: number, end: number, quoting: Quoting): number {
  const code = source.charCodeAt(at);
  if (code === 39) return at + 2;
  if (code !== 92) {
    let next = at;
    for (let length = lineEndLength(source, at, end); length > 0; length = lineEndLength(source, next, end))
      next = blanksEnd(source, next + length, end);
    return next;
  }
  const lineEnd = quoting === 'double' ? lineEndLength(source, at + 1, end) : 0;
  if (lineEnd > 0) return blanksEnd(source, at + 1 + lineEnd, end);
  CODE.lastIndex = at + 1;
  return CODE.test(source) && CODE.lastIndex <= end ? CODE.lastIndex : at + 2;
}

const MOST_CR = 3;
const CODE = /u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}/y;

/** Returns the length of a line end, or 0. Text that was converted to CRLF twice has several CR in each. */
function lineEndLength(source: string, at: number, end: number): number {
  let next = at;
  while (next - at < MOST_CR && source.charCodeAt(next) === 13) next++;
  return next < end && source.charCodeAt(next) === 10 ? next + 1 - at : 0;
}

function blanksEnd(source: string, from: number, end: number): number {
  let at = from;
  while (at < end && (source.charCodeAt(at) === 32 || source.charCodeAt(at) === 9)) at++;
  return at;
}

function meaning(sign: string): string {
  if (sign === "''") return "'";
  if (sign[0] !== '\\') {
    const lines = sign.split('\n').length - 1;
    return lines === 1 ? ' ' : '\n'.repeat(lines - 1);
  }
  const kind = sign[1]!;
  if (sign.length > 2)
    return kind === 'u' || kind === 'x' ? String.fromCharCode(Number.parseInt(sign.slice(2), 16)) : '';
  return ESCAPES[kind] ?? kind;
}
