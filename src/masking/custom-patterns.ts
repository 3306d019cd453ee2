import { runWithTimeout } from '../common/time-limit.ts';
import { compilePattern, compileReplacement } from '../config/regex.ts';
import type { CustomPatternConfig } from '../config/types.ts';

/**
 * Time limit of an operator's pattern for one text (ms). Enough for megabytes, and stops patterns that backtrack without
 * bound.
 */
const CUSTOM_PATTERN_LIMIT_MS = 1000;

/**
 * Returns a function that applies an operator's patterns in order.
 * @throws Error (the returned function) if a pattern exceeds the time limit
 */
export function createCustomPatterns(patterns: readonly CustomPatternConfig[]): (text: string) => string {
  if (patterns.length === 0) return (text) => text;
  const compiled = patterns.map(({ pattern, replacement }) => ({
    regex: compilePattern(pattern),
    replacement: compileReplacement(replacement),
  }));
  return (text) =>
    compiled.reduce((masked, { regex, replacement }) => {
      const replaced = runWithTimeout(CUSTOM_PATTERN_LIMIT_MS, () => masked.replace(regex, replacement));
      if (replaced === null) throw new Error(`a pattern took longer than ${CUSTOM_PATTERN_LIMIT_MS} ms`);
      return replaced;
    }, text);
}
