import { expect, test } from 'vitest';
import { bySection, type ConfigurationValue, chosen, originOf, textOf } from './configuration.ts';

const value = (path: string, changes: Partial<ConfigurationValue> = {}): ConfigurationValue => ({
  ...{ path, value: 1, hidden: false, from: 'BUILT_IN', file: null, line: null, variables: [] },
  ...changes,
});
const WRITTEN = { from: 'FILE', file: 'c/tarsy.yaml', line: 7 } as const;
const VALUES = [
  value('queue.max_pending', { ...WRITTEN, value: 100 }),
  value('queue.max_attempts'),
  value('intake.rules[0].name', { ...WRITTEN, value: 'pay', variables: ['RULE'] }),
];

test('leaves out what is built in, unless it is wanted, and what does not match', () => {
  const paths = (search: string, builtIn: boolean) =>
    chosen(VALUES, { search, builtIn }).map(({ path }) => path);
  expect(paths('', false)).toEqual(['queue.max_pending', 'intake.rules[0].name']);
  expect(paths(' Queue ', true)).toEqual(['queue.max_pending', 'queue.max_attempts']);
  expect(paths('PAY', false)).toEqual(['intake.rules[0].name']);
  expect(paths('rule', false)).toEqual(['intake.rules[0].name']);
});

test('goes by the sections of the files', () => {
  expect(bySection(VALUES).map(([name, values]) => [name, values.length])).toEqual([
    ['queue', 2],
    ['intake', 1],
  ]);
});

test.each([
  [{ value: ['a', 'b'] }, 'a, b'],
  [{ value: [] }, 'none'],
  [{ value: '' }, 'empty'],
  [{ value: false }, 'false'],
  [{ value: null, hidden: true }, 'set, not shown'],
])('shows %j', (changes, text) => {
  expect(textOf(value('x', changes))).toBe(text);
});

test('says where a value comes from', () => {
  expect(VALUES.map(originOf)).toEqual(['c/tarsy.yaml:7', 'built in', 'c/tarsy.yaml:7 with RULE']);
  expect(originOf(value('x', { from: 'ENVIRONMENT', variables: ['HTTP_PORT'] }))).toBe('HTTP_PORT');
});
