import { errorMessage } from '../common/error-message.ts';

/**
 * Compiles an operator's pattern as a global, Unicode expression. Accepts leading inline flags (`(?i)`, `(?ims)`) and
 * groups named `(?P<name>…)`, as in Go and Python. @throws SyntaxError
 */
export function compilePattern(source: string): RegExp {
  const inline = /^\(\?([ims]+)\)/.exec(source);
  const flags = `gu${[...new Set(inline?.[1] ?? '')].join('')}`;
  const rest = inline === null ? source : source.slice(inline[0].length);
  return new RegExp(
    rest.replace(NAMED_GROUP, (part) => (part === '(?P<' ? '(?<' : part)),
    flags,
  );
}

/** Matches `(?P<`. Also matches whole escapes and character classes, so that `(?P<` inside them stays unchanged. */
const NAMED_GROUP = /\\.|\[(?:\\.|[^\]\\])*\]|\(\?P</gsu;

/** Converts Go's `${1}` and `${name}` in a replacement text to `$1` and `$<name>` of String.replace. */
export function compileReplacement(text: string): string {
  return text.replace(/\$\$|\$\{(\w+)\}/g, (whole, group?: string) => {
    if (group === undefined) return whole;
    return /^\d+$/.test(group) ? `$${group}` : `$<${group}>`;
  });
}

/** Returns why a pattern is invalid, else `null`. Matching empty text is invalid, because it would mask everywhere. */
export function patternProblem(source: string): string | null {
  try {
    return compilePattern(source).test('') ? 'bad regular expression: it matches empty text' : null;
  } catch (error) {
    const reason = errorMessage(error).replace(/^.*: /su, '');
    return `bad regular expression: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`;
  }
}
