import { describe, expect, it } from 'vitest';
import { leastCpuMs } from '../../test/helpers/cpu-time.ts';
import { parseArguments } from './parameters.ts';

const read = (cases: readonly (readonly [string, unknown])[]) =>
  it.each(cases)('%j', (text, expected) => {
    expect(parseArguments(text)).toEqual(expected);
  });

describe('JSON', () => {
  read([
    ['', {}],
    ['  \n', {}],
    ['{"a":1}', { a: 1 }],
    ['{}', {}],
    ['[1,2]', { input: [1, 2] }],
    ['"hi"', { input: 'hi' }],
    ['42', { input: 42 }],
    ['true', { input: true }],
    ['null', { input: null }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['```\n{"a":"```"}\n```', { a: '```' }],
    ['```json {"a":1}```', { a: 1 }],
    ['```json\n{"a":1}', { a: 1 }],
    ['```json\n{"a":1}\n  ```\nThat is all.', { a: 1 }],
    ['```{"a":1}```', { a: 1 }],
    ['{"a": "}"} I will now wait.', { a: '}' }],
    ['{"a": {"b": [1, {"c": "\\"}"}]}}\nObservation: x', { a: { b: [1, { c: '"}' }] } }],
    ['{"a": bad', { input: '{"a": bad' }],
    ['[ERROR] x: y', { input: '[ERROR] x: y' }],
    ['{a: 1, b: [x, y],}', { a: 1, b: ['x', 'y'] }],
    ["{'a': 'it', 'b': 007}", { a: 'it', b: '007' }],
    ['{"a":"x\\u0000y"}', { a: 'x\u{FFFD}y' }],
  ]);
});

describe('YAML with structure', () => {
  read([
    ['cfg:\n  h: 1\n  p: 2', { cfg: { h: 1, p: 2 } }],
    ['l:\n- a\n- b', { l: ['a', 'b'] }],
    ['l:\n  - a', { l: ['a'] }],
    ['items: []\nname: t', { items: [], name: 't' }],
    ['a: [1, 2]', { a: [1, 2] }],
    ['a: {b: 1}', { a: { b: 1 } }],
    ['- x\n- y', { input: ['x', 'y'] }],
    ['a: |\n  multi\n  line', { a: 'multi\nline' }],
    ['cfg:\n  id: 007\n  n: 1_000\n  s: "5"\n  t: None', { cfg: { id: '007', n: '1_000', s: '5', t: null } }],
    ['ns: prod\n- bad\npod: w', { ns: 'prod', pod: 'w' }],
  ]);
});

describe('pairs', () => {
  read([
    ['a: b', { a: 'b' }],
    ['a=b', { a: 'b' }],
    ['a: 1, b: true', { a: 1, b: true }],
    ['a=1\nb=2.5', { a: 1, b: 2.5 }],
    ['a: 1, b=x', { a: 1, b: 'x' }],
    ['a: b=c', { a: 'b=c' }],
    ['labels: app=nginx', { labels: 'app=nginx' }],
    ['labels: app=nginx,tier=web', { labels: 'app=nginx,tier=web' }],
    ['labels=app=nginx', { labels: 'app=nginx' }],
    ['apiVersion: v1\nkind: Secret', { apiVersion: 'v1', kind: 'Secret' }],
    ['url: http://x:80/p', { url: 'http://x:80/p' }],
    ['a: null', { a: null }],
    ['a: NONE', { a: null }],
    ['a: -5', { a: -5 }],
    ['a: 1.50', { a: 1.5 }],
    ['a: 007', { a: '007' }],
    ['a: 1e3', { a: 1000 }],
    ['a: 1e999', { a: '1e999' }],
    ['a: .5', { a: 0.5 }],
    ['a: 1_000', { a: '1_000' }],
    ['a: inf', { a: 'inf' }],
    ['a: nan', { a: 'nan' }],
    ['a: 12345678901234567890', { a: '12345678901234567890' }],
    ['a: "quoted"', { a: 'quoted' }],
    ["a: 'q'", { a: 'q' }],
    ['a: "5", b: "x, y: z"', { a: '5', b: 'x, y: z' }],
    ['a:', { a: '' }],
    ['a: b, c', { a: 'b, c' }],
    ['k: v, trailing', { k: 'v, trailing' }],
    ['msg: hello, world', { msg: 'hello, world' }],
    ['query: error, level: warn', { query: 'error', level: 'warn' }],
    ['namespace: default,pod: x', { namespace: 'default', pod: 'x' }],
    ['a: True', { a: true }],
    ['a: 2024-01-01', { a: '2024-01-01' }],
    ['time: 12:30', { time: '12:30' }],
    ['a: b # c', { a: 'b # c' }],
    ['größe: 5, 磁盘: sda', { größe: 5, 磁盘: 'sda' }],
    ['path: /var/log\r\nlines: 5\r\n', { path: '/var/log', lines: 5 }],
    ['a: 1\n\nI wait for the result.', { a: 1 }],
  ]);
});

describe('anything else', () => {
  read([
    ['plain text here', { input: 'plain text here' }],
    ['text, with comma', { input: 'text, with comma' }],
    ['http://x/y', { input: 'http://x/y' }],
    ['C:\\temp', { input: 'C:\\temp' }],
    ['12:30', { input: '12:30' }],
    ['x\u0000y', { input: 'x\u{FFFD}y' }],
  ]);

  it('never sets a prototype', () => {
    const parsed = parseArguments('{"__proto__": {"polluted": true}}');
    expect(Object.hasOwn(parsed, '__proto__')).toBe(true);
    expect(parseArguments('__proto__: x')).toEqual(Object.fromEntries([['__proto__', 'x']]));
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it.each([
    ['spaces in a fence', `\`\`\`json${' '.repeat(100_000)}x`],
    ['empty lines in a fence', `\`\`\`json${'\n'.repeat(100_000)}x`],
    ['empty lines', `a:${'\n'.repeat(100_000)}x`],
    ['brackets', `{a: ${'['.repeat(8000)}`],
    ['keys', 'l:\n- a\n'.repeat(1000)],
  ])('takes no longer for %s than its length demands', (_, text) => {
    expect(leastCpuMs(() => parseArguments(text))).toBeLessThan(1000);
  });

  it('survives a YAML bomb and a long text', () => {
    const bomb = [
      'a: &a [x, x]',
      ...'bcdefghijklm'
        .split('')
        .map((key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghijklm'[index]}`).join(',')}]`),
    ].join('\n');
    expect(Object.keys(parseArguments(bomb))).toContain('a');
    expect(parseArguments('x'.repeat(200_000))).toEqual({ input: 'x'.repeat(200_000) });
  });
});
