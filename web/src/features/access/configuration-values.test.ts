import { expect, test } from 'vitest';
import {
  type ConfigurationValue,
  filterValues,
  groupBySection,
  originOf,
  textOf,
} from './configuration-values.ts';

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

test('filters by search text and omits built-in values unless requested', () => {
  const paths = (search: string, builtIn: boolean) =>
    filterValues(VALUES, { search, builtIn }).map(({ path }) => path);
  expect(paths('', false)).toEqual(['queue.max_pending', 'intake.rules[0].name']);
  expect(paths(' Queue ', true)).toEqual(['queue.max_pending', 'queue.max_attempts']);
  expect(paths('PAY', false)).toEqual(['intake.rules[0].name']);
  expect(paths('rule', false)).toEqual(['intake.rules[0].name']);
});

test('groups values by section of the files', () => {
  expect(groupBySection(VALUES).map(([name, values]) => [name, values.length])).toEqual([
    ['queue', 2],
    ['intake', 1],
  ]);
});

test.each([
  [{ value: ['a', 'b'] }, 'a, b'],
  [{ value: [] }, 'none'],
  [{ value: '' }, 'empty'],
  [{ value: false }, 'false'],
  [{ value: null, hidden: true }, 'hidden'],
])('formats %j', (changes, text) => {
  expect(textOf(value('x', changes))).toBe(text);
});

test('describes the origin of a value', () => {
  expect(VALUES.map(originOf)).toEqual(['c/tarsy.yaml:7', 'built in', 'c/tarsy.yaml:7 with RULE']);
  expect(originOf(value('x', { from: 'ENVIRONMENT', variables: ['HTTP_PORT'] }))).toBe('HTTP_PORT');
});
