/** Returns a case-insensitive matcher; `*` matches part of a host name, dots included. */
export function createMatcher(patterns: readonly string[]): (text: string) => boolean {
  const expressions = patterns.map(
    (pattern) => new RegExp(`^${pattern.split('*').map(escaped).join('[a-z0-9.-]+')}$`, 'i'),
  );
  return (text) => expressions.some((expression) => expression.test(text));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
