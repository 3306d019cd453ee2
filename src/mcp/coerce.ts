const NUMBER = /^-?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?$/;

/**
 * The value an unquoted word most likely means: true/false, null/none (any case), a decimal number; all else stays text.
 * Words that a number would change (007, 1_000, inf, ids beyond 2^53) stay text.
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
