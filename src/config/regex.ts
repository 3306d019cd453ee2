import { errorMessage } from '../common/error-message.ts';
/**
 * Compiles an operator's pattern for replacing all that it matches. What Go and Python write and JavaScript lacks is
 * understood: leading inline flags (`(?i)`, `(?ims)`) and groups named `(?P<name>…)`.
 * @throws SyntaxError when it is not a regular expression
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

/** Escapes and classes are read over: what looks like a group in them is none. */
const NAMED_GROUP = /\\.|\[(?:\\.|[^\]\\])*\]|\(\?P</gsu;

/** A replacement for String.replace: `${1}` and `${name}`, as Go writes them, are `$1` and `$<name>`. */
export function compileReplacement(text: string): string {
  return text.replace(/\$\$|\$\{(\w+)\}/g, (whole, group?: string) => {
    if (group === undefined) return whole;
    return /^\d+$/.test(group) ? `$${group}` : `$<${group}>`;
  });
}

/** What is wrong with a pattern, or null. A pattern that matches nothing at all would mask between all letters. */
export function patternProblem(source: string): string | null {
  try {
    return compilePattern(source).test('') ? 'bad regular expression: it matches empty text' : null;
  } catch (error) {
    const reason = errorMessage(error).replace(/^.*: /su, '');
    return `bad regular expression: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`;
  }
}
