import { expect, test } from 'vitest';
import { differences } from './compare.ts';

test('reports differing values and values on one side only', () => {
  const here = { same: ['a'], list: ['a', 'b'], gone: 1, secret: null, hidden: null };
  const there = { same: ['a'], list: ['b', 'a'], secret: null, hidden: 'shown', added: false };
  expect(differences(here, there)).toEqual([
    { path: 'list', here: ['a', 'b'], there: ['b', 'a'] },
    { path: 'gone', here: 1, there: null },
    { path: 'hidden', here: '***', there: 'shown' },
    { path: 'added', here: null, there: false },
  ]);
  expect(differences(here, here)).toEqual([]);
});
