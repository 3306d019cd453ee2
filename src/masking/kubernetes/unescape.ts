import { type Layer, layerFrom } from '../layer.ts';
import { matchEnd, skipBlanks } from '../text.ts';
import type { Scalar } from './outline.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: ' ',
  f: ' ',
  '0': ' ',
  '\n': '',
};

/** Returns the text of a scalar with its escapes resolved. A single line end within quotes becomes a blank. */
export function unescapeScalar(source: string, scalar: Scalar): Layer {
  const layer = layerFrom(source, scalar.start);
  for (let at = nextSign(source, scalar.start, scalar); at < scalar.end; at = nextSign(source, at, scalar)) {
    const sign = at;
    at = signEnd(source, sign, scalar);
    layer.replace(sign, at, meaning(source.slice(sign, at)));
  }
  return layer.end(scalar.end);
}

function nextSign(source: string, from: number, { end, quote }: Scalar): number {
  if (quote === '|') return end;
  for (let at = from; at < end; at++) {
    const code = source.charCodeAt(at);
    if (code === 92 && quote !== "'" && at + 1 < end) return at;
    if (code === 39 && quote === "'" && at + 1 < end && source.charCodeAt(at + 1) === 39) return at;
    if ((code === 10 || code === 13) && quote !== '\\' && lineEndLength(source, at, end) > 0) return at;
  }
  return end;
}

function signEnd(source: string, at: number, { end, quote }: Scalar): number {
  const code = source.charCodeAt(at);
  if (code === 39) return at + 2;
  if (code !== 92) {
    let next = at;
    for (let length = lineEndLength(source, at, end); length > 0; length = lineEndLength(source, next, end))
      next = skipBlanks(source, next + length, end);
    return next;
  }
  const lineEnd = quote === '"' ? lineEndLength(source, at + 1, end) : 0;
  if (lineEnd > 0) return skipBlanks(source, at + 1 + lineEnd, end);
  const codeEnd = matchEnd(CODE, source, at + 1);
  return codeEnd >= 0 && codeEnd <= end ? codeEnd : at + 2;
}

const MOST_CR = 3;
const CODE = /u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}/y;

/** Returns the length of the line end at `at`, or 0. Repeated conversion to CRLF puts up to three CR before the LF. */
function lineEndLength(source: string, at: number, end: number): number {
  let next = at;
  while (next - at < MOST_CR && source.charCodeAt(next) === 13) next++;
  return next < end && source.charCodeAt(next) === 10 ? next + 1 - at : 0;
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
