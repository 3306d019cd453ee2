import { withinTime } from '../common/time-limit.ts';
import { compilePattern, compileReplacement } from '../config/regex.ts';
import type { CustomPatternConfig } from '../config/types.ts';

/**
 * Time an operator's pattern may take over one text (ms): enough for megabytes with any sane pattern, and an end to
 * one that backtracks without bound.
 */
const CUSTOM_PATTERN_LIMIT_MS = 1000;

/**
 * Masks with an operator's own patterns, in their order.
 * @throws Error when a pattern takes too long
 */
export function createCustomPatterns(patterns: readonly CustomPatternConfig[]): (text: string) => string {
  if (patterns.length === 0) return (text) => text;
  const compiled = patterns.map(({ pattern, replacement }) => ({
    regex: compilePattern(pattern),
    replacement: compileReplacement(replacement),
  }));
  return (text) =>
    compiled.reduce((masked, { regex, replacement }) => {
      const replaced = withinTime(CUSTOM_PATTERN_LIMIT_MS, () => masked.replace(regex, replacement));
      if (replaced === null) throw new Error(`a pattern took longer than ${CUSTOM_PATTERN_LIMIT_MS} ms`);
      return replaced;
    }, text);
}
