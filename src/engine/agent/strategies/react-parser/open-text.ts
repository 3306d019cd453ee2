import { jsonEnd, parseArguments } from '../../../../mcp/parameters.ts';

/** Matches Markdown and the opening of a code fence before a value. */
const BEFORE_VALUE = /^[\s*]*(?:(?:```|~~~)[\w-]*|`{1,2})?[\s*]*/;

/**
 * Returns a function that maps the start of an action's input (`begin`) to the offset where its data ends.
 * Headers before that offset belong to the data. The function returns `begin` if the input is plain text. A
 * JSON object that does not end or cannot be parsed is data up to the end of the response, because log lines
 * in it must not call tools or conclude.
 */
export function createDataEnds(text: string): (begin: number) => number {
  let unopened: Int32Array | null = null;

  /**
   * Returns true if the JSON object really ends at the offset: only blanks and punctuation follow in the
   * line, and no surplus closing bracket follows later. A surplus bracket shows that the offset lies in a
   * text copied into the object.
   */
  function isEnd(end: number): boolean {
    unopened ??= countUnopened(text);
    return unopened[end]! <= 0 && /^[\s`*.,;]*$/.test(text.slice(end, end + 64).split('\n', 1)[0]!);
  }

  return (begin) => {
    const before = BEFORE_VALUE.exec(text.slice(begin, begin + 256))![0];
    const at = begin + before.length;
    if (text[at] === '{' || text[at] === '[') {
      const end = jsonEnd(text, at);
      if (end === null) return text.length;
      if (isUnparsed(text.slice(at, end))) return text[at] === '{' ? text.length : begin;
      return isEnd(end) ? end : text.length;
    }
    const fence = /```|~~~/.exec(before);
    if (fence === null) return begin;
    const end = text.lastIndexOf(fence[0]);
    return end < at ? text.length : end + fence[0].length;
  };
}

/** Returns for each offset how many more brackets close than open between it and the end of the text. */
function countUnopened(text: string): Int32Array {
  const counts = new Int32Array(text.length + 1);
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const character = text[at]!;
    const change = '}]'.includes(character) ? 1 : '{['.includes(character) ? -1 : 0;
    counts[at] = counts[at + 1]! + change;
  }
  return counts;
}

/** Returns true if the text is an object or list that cannot be parsed as one. */
function isUnparsed(text: string): boolean {
  const { input, ...others } = parseArguments(text);
  return Object.keys(others).length === 0 && typeof input === 'string';
}

/**
 * Matches what stands before the quotation mark or bracket of a value: the line start, a list mark, a key, a
 * comma or an opening parenthesis.
 */
const VALUE_START = /(?:^[ \t]*(?:-[ \t]+)?|[:=,(][ \t]*)(?=["'{[])/g;
/** Matches a complete quoted string that the line end, a comma, a closing bracket or punctuation follows. */
const WHOLE_QUOTED = /(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*')(?=[ \t]*(?:$|[\n,)\]}*`.;]))/y;

/**
 * Returns true if a line of plain input opens a quoted string, object or list that the line does not close.
 */
export function opensValue(line: string): boolean {
  VALUE_START.lastIndex = 0;
  for (let match = VALUE_START.exec(line); match !== null; match = VALUE_START.exec(line)) {
    const at = match.index + match[0].length;
    const end = '{['.includes(line[at]!) ? jsonEnd(line, at) : quotedEnd(line, at);
    if (end === null) return true;
    VALUE_START.lastIndex = end;
  }
  return false;
}

function quotedEnd(line: string, at: number): number | null {
  WHOLE_QUOTED.lastIndex = at;
  return WHOLE_QUOTED.test(line) ? WHOLE_QUOTED.lastIndex : null;
}

/** Matches a quotation mark that opens a quotation in prose. An apostrophe within a word does not match. */
const OPENING = /(?<=^|[\s([])(?:["“«']|`(?!``))(?=\S)/g;
/**
 * The mark that closes a quotation, by its opening mark. Quotation marks of JSON inside the quotation do not
 * match.
 */
const CLOSING: Readonly<Record<string, RegExp>> = {
  '"': /(?<=[^\s{[,:])"(?=[\s).,;!?]|$)/g,
  '“': /”/g,
  '«': /»/g,
  "'": /(?<=[^\s{[,:])'(?=[\s).,;!?]|$)/g,
  '`': /`/g,
};

/**
 * Returns a function that tells whether the offset `at` lies within a quotation in prose. The calls must pass
 * ascending offsets, because the text is read once. No quotation begins before `from`, the start of the
 * section.
 */
export function createQuotations(text: string): (at: number, from: number) => boolean {
  let end = 0; // end offset of the last quotation
  let next = 0; // no quotation begins between `end` and `next`
  const unclosed = new Set<string>();
  return (at, from) => {
    next = Math.max(next, from);
    while (end <= at && next < at) {
      OPENING.lastIndex = next;
      const opening = OPENING.exec(text);
      next = opening?.index ?? text.length;
      if (opening === null || next >= at) break;
      next += 1;
      const closing = CLOSING[opening[0]]!;
      closing.lastIndex = next;
      if (unclosed.has(opening[0])) continue;
      if (closing.test(text)) end = next = closing.lastIndex;
      else unclosed.add(opening[0]);
    }
    return end > at;
  };
}
