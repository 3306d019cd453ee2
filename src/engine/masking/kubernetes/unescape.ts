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

const SIGNS: Readonly<Record<Quoting, RegExp | null>> = {
  double: /\\(?:\r?\n[ \t]*|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])|(?:\r?\n[ \t]*)+/g,
  single: /''|(?:\r?\n[ \t]*)+/g,
  escaped: /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])/g,
  plain: null,
};

/** Resolves the quoting of [start, end). */
export function unescapeRange(source: string, start: number, end: number, quoting: Quoting): Unescaped {
  const quoted = source.slice(start, end);
  const parts: string[] = [];
  /** Where a stretch without escapes starts: in the result, and in the source. */
  const from: number[] = [];
  const to: number[] = [];
  let length = 0;
  const add = (part: string, origin: number) => {
    from.push(length);
    to.push(origin);
    parts.push(part);
    length += part.length;
  };
  let at = 0;
  for (const { 0: sign, index } of SIGNS[quoting] ? quoted.matchAll(SIGNS[quoting]) : []) {
    if (index > at) add(quoted.slice(at, index), start + at);
    add(meaning(sign), start + index);
    at = index + sign.length;
  }
  if (at < quoted.length) add(quoted.slice(at), start + at);
  from.push(length);
  to.push(end);
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
