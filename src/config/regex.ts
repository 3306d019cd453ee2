/**
 * Compiles an operator's pattern for replacing all that it matches. Go's leading inline flags
 * (`(?i)`, `(?ims)`), which JavaScript lacks, are understood.
 * @throws SyntaxError when it is not a regular expression
 */
export function compilePattern(source: string): RegExp {
  const inline = /^\(\?([ims]+)\)/.exec(source);
  const flags = `gu${[...new Set(inline?.[1] ?? '')].join('')}`;
  return new RegExp(inline === null ? source : source.slice(inline[0].length), flags);
}

/** What is wrong with a pattern, or null. A pattern that matches nothing at all would mask between all letters. */
export function patternProblem(source: string): string | null {
  try {
    return compilePattern(source).test('') ? 'bad regular expression: it matches empty text' : null;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /su, '') : String(error);
    return `bad regular expression: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`;
  }
}
