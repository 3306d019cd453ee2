import { RE2JS } from 're2js';
import { errorMessage } from '../common/error-message.ts';

/** One condition on labels in Alertmanager's syntax: `name="value"`, `name!="v"`, `name=~"re"`, `name!~"re"`. */
export interface Matcher {
  readonly name: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

export class MatcherError extends Error {
  override readonly name = 'MatcherError';
}

/** Matches name, operator and value. Name and value are plain, or in double quotes with Go's escapes \" \\ and \n. */
const FORM =
  /^\s*("(?:[^"\\]|\\.)*"|[^{}!=~,\\"'`\s]+)\s*(=~|!~|!=|=)\s*("(?:[^"\\]|\\.)*"|[^{}!=~,\\"'`\s]*)\s*$/su;

/** Maximum length of a matcher (characters), so that its regular expression compiles quickly. */
const MAX_LENGTH = 1000;

/** @throws MatcherError */
export function parseMatcher(written: string): Matcher {
  if (written.length > MAX_LENGTH) throw new MatcherError(`a matcher has at most ${MAX_LENGTH} characters`);
  const parts = FORM.exec(written);
  if (!parts)
    throw new MatcherError('expected a matcher such as severity="critical" or namespace=~"prod-.*"');
  const matcher = {
    name: unquoted(parts[1]!),
    operator: parts[2] as Matcher['operator'],
    value: unquoted(parts[3]!),
  };
  if (matcher.name === '') throw new MatcherError('the name of a label must not be empty');
  if (isPattern(matcher)) compile(matcher.value);
  return matcher;
}

export type LabelMatch = (labels: Readonly<Record<string, string>>) => boolean;

/**
 * Compiles matchers into a predicate that is true if all of them match. A missing label counts as empty, as in
 * Alertmanager. Regular expressions have RE2's syntax and match the whole value in linear time.
 * @throws MatcherError
 */
export function compileMatchers(written: readonly string[]): LabelMatch {
  const tests = written.map((text) => {
    const matcher = parseMatcher(text);
    return [matcher.name, testOf(matcher)] as const;
  });
  return (labels) =>
    tests.every(([name, test]) => test(Object.hasOwn(labels, name) ? (labels[name] ?? '') : ''));
}

function testOf(matcher: Matcher): (value: string) => boolean {
  const { operator, value } = matcher;
  const wanted = !operator.startsWith('!');
  if (!isPattern(matcher)) return (given) => (given === value) === wanted;
  const pattern = compile(value);
  return (given) => pattern.matches(given) === wanted;
}

function isPattern({ operator }: Matcher): boolean {
  return operator.endsWith('~');
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new MatcherError(`bad regular expression: ${errorMessage(error)}`);
  }
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  return text.slice(1, -1).replace(/\\(.)/gsu, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}
