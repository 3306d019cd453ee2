/** Text taken out of a quoted string, with the way back. */
export interface Unescaped {
  text: string;
  /** Position in the quoted form of a position in `text`, its end included. */
  origin(at: number): number;
}

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
 * How a text is quoted: in double quotes, in YAML's single ones, in a piece with escapes but without quotes, or as it
 * is. Within quotes line ends are those of the form: a single one stands for a blank.
 */
export type Quoting = 'double' | 'single' | 'escaped' | 'plain';

/** Resolves the quoting of [start, end). */
export function unescapeRange(source: string, start: number, end: number, quoting: Quoting): Unescaped {
  const parts: string[] = [];
  /** Where a stretch without escapes starts: in the result, and in the source. A sign stands before it, but the first. */
  const from = [0];
  const to = [start];
  let length = 0;
  for (let at = start; at < end; ) {
    const sign = nextSign(source, at, end, quoting);
    if (sign > at) parts.push(source.slice(at, sign));
    length += sign - at;
    if (sign >= end) break;
    at = signEnd(source, sign, end, quoting);
    const resolved = meaning(source.slice(sign, at));
    parts.push(resolved);
    length += resolved.length;
    from.push(length);
    to.push(at);
  }
  const text = parts.join('');
  return {
    text,
    origin(at) {
      if (at >= length) return end;
      let low = 0;
      let high = from.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (from[middle]! <= at) low = middle;
        else high = middle - 1;
      }
      return to[low]! + (at - from[low]!);
    },
  };
}

/** Where the next escape, or line end in quotes, begins; `end` when there is none. */
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

/** Where the escape or the line ends that begin at a position are over. */
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

const CODE = /u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}/y;

/** 1 or 2 where a line ends, else 0. */
function lineEndLength(source: string, at: number, end: number): number {
  if (at < end && source.charCodeAt(at) === 10) return 1;
  return at + 1 < end && source.charCodeAt(at) === 13 && source.charCodeAt(at + 1) === 10 ? 2 : 0;
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
