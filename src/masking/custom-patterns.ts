import { createContext, Script } from 'node:vm';
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
  // Only code that runs as a script can be stopped in the middle of a regular expression.
  const scope = createContext({ text: '', regex: /./, replacement: '' });
  const replace = new Script('text.replace(regex, replacement)');
  return (text) => {
    let masked = text;
    for (const { regex, replacement } of compiled) {
      Object.assign(scope, { text: masked, regex, replacement });
      masked = String(replace.runInContext(scope, { timeout: CUSTOM_PATTERN_LIMIT_MS }));
    }
    scope.text = '';
    return masked;
  };
}
