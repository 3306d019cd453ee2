import { coerceWord } from './coerce.ts';

/** A key and its sign. `://` and `:\` belong to a URL or a Windows path, not to a pair. */
const KEY = /^\s*([\p{L}_][\p{L}\p{M}\p{N}_.-]*)\s*(:(?!\/\/|\\)|=(?!=))[ \t]*/u;
/** A comma before the next pair; without a space after it the sign must be that of the pair before (`app=a,tier=b`). */
const NEXT_PAIR = /,(\s*)(?=[\p{L}_][\p{L}\p{M}\p{N}_.-]*\s*(:(?!\/\/|\\)|=(?!=)))/gu;
const QUOTED = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')[ \t]*(?:,|$)/;

interface Pair {
  key: string;
  value: unknown;
  rest: string;
}

/**
 * Reads `key: value` or `key=value` pairs, separated by newlines or by commas before another key; values are coerced,
 * quoted ones stay text. Null when the text does not begin with a pair. Later lines that are no pair are dropped.
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

function readPair(text: string): Pair | null {
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
    return {
      key,
      value: coerceWord(after.slice(0, comma.index).trim()),
      rest: after.slice(comma.index + whole.length),
    };
  }
  return { key, value: coerceWord(after.trim()), rest: '' };
}
