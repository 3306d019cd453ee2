/** Matches a key and its separator, but not the `://` of a URL or the `:\` of a Windows path. */
const KEY = /^\s*([\p{L}_][\p{L}\p{M}\p{N}_.-]*)\s*(:(?!\/\/|\\)|=(?!=))[ \t]*/u;
/** Matches a comma before a pair. Without a space after it, both pairs need the same separator (`app=a,tier=b`). */
const NEXT_PAIR = /,(\s*)(?=[\p{L}_][\p{L}\p{M}\p{N}_.-]*\s*(:(?!\/\/|\\)|=(?!=)))/gu;
const NUMBER = /^-?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?$/;
const QUOTED = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')[ \t]*(?:,|$)/;

/**
 * Parses `key: value` or `key=value` pairs, separated by newlines or by commas before another key. Quoted values stay
 * text. @returns `null` if the text does not start with a pair
 */
export function parsePairs(text: string): Record<string, unknown> | null {
  const entries: [string, unknown][] = [];
  for (const [number, line] of text.split('\n').entries()) {
    let rest = line.trimEnd();
    while (rest !== '') {
      const pair = readPair(rest);
      if (pair === null) break;
      entries.push([pair.key, pair.value]);
      rest = pair.rest;
    }
    if (number === 0 && entries.length === 0) return null;
  }
  return Object.fromEntries(entries);
}

function readPair(text: string): { key: string; value: unknown; rest: string } | null {
  const match = KEY.exec(text);
  if (match === null) return null;
  const [head, key = '', sign = ''] = match;
  const after = text.slice(head.length);
  const quoted = QUOTED.exec(after);
  if (quoted !== null) {
    const value = quoted[1]?.replace(/\\(["\\])/g, '$1') ?? quoted[2] ?? '';
    return { key, value, rest: after.slice(quoted[0].length) };
  }
  for (const comma of after.matchAll(NEXT_PAIR)) {
    const [whole, space = '', nextSign = ''] = comma;
    if (space === '' && nextSign !== sign) continue;
    const value = coerceWord(after.slice(0, comma.index).trim());
    return { key, value, rest: after.slice(comma.index + whole.length) };
  }
  return { key, value: coerceWord(after.trim()), rest: '' };
}

/**
 * Returns the most likely value of an unquoted word: a boolean, null, a decimal number, or the text. Words that
 * conversion to a number would change (007, 1_000, inf, ids beyond 2^53) stay text.
 */
export function coerceWord(word: string): unknown {
  const lower = word.toLowerCase();
  if (lower === 'true') return true;
  if (lower === 'false') return false;
  if (lower === 'null' || lower === 'none') return null;
  if (!NUMBER.test(word)) return word;
  const number = Number(word);
  const exact = Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number);
  return exact ? number : word;
}
