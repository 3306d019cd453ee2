import { describe, expect, it } from 'vitest';
import { compileMatchers, parseMatcher } from './matchers.ts';

describe('a matcher', () => {
  it.each([
    ['severity="critical"', { name: 'severity', operator: '=', value: 'critical' }],
    ['severity = critical', { name: 'severity', operator: '=', value: 'critical' }],
    ['a!="b=c"', { name: 'a', operator: '!=', value: 'b=c' }],
    ['namespace=~"prod-.*|pay"', { name: 'namespace', operator: '=~', value: 'prod-.*|pay' }],
    ['größe/🦉!~x', { name: 'größe/🦉', operator: '!~', value: 'x' }],
    ['"with space"="say \\"hi\\"\\n\\\\"', { name: 'with space', operator: '=', value: 'say "hi"\n\\' }],
    ['a=""', { name: 'a', operator: '=', value: '' }],
  ])('is read: %s', (written, matcher) => {
    expect(parseMatcher(written)).toEqual(matcher);
  });

  it.each([
    '',
    'a',
    '="b"',
    '""="b"',
    'a="b',
    'a="b" c',
    'a=="b"',
    'a=~"("',
    'a=~"(?=x)"',
    `a="${'x'.repeat(1000)}"`,
    '{a="b"}',
  ])('is refused: %s', (written) => {
    expect(() => parseMatcher(written)).toThrow(expect.objectContaining({ name: 'MatcherError' }));
  });
});

describe('matchers', () => {
  const match = (...written: string[]) => compileMatchers(written)({ a: 'one', b: 'two\nthree' });

  it('must all match the whole value; a missing label counts as empty', () => {
    expect(match()).toBe(true);
    expect(match('a="one"', 'b=~"two\\nthree"')).toBe(true);
    expect(match('a="one"', 'b="x"')).toBe(false);
    expect(match('a=~"on"')).toBe(false);
    expect(match('a=~"on.|x"')).toBe(true);
    expect(match('a!~"on"', 'a!="two"')).toBe(true);
    expect(match('c=""', 'c!="x"', 'c=~".*"')).toBe(true);
    expect(match('c=~".+"')).toBe(false);
    expect(match('constructor=""', '__proto__=""')).toBe(true);
  });

  it('take linear time for any pattern and text', () => {
    const test = compileMatchers(['a=~"(a+)+$"']);
    const begun = process.cpuUsage().user;
    expect(test({ a: `${'a'.repeat(2000)}!` })).toBe(false);
    expect(process.cpuUsage().user - begun).toBeLessThan(2_000_000);
  });
});
