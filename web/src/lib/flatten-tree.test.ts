import { expect, it } from 'vitest';
import { flattenTree } from './flatten-tree.ts';

const list = [
  { id: 'a', parent: null },
  { id: 'b', parent: null },
  { id: 'c', parent: 'a' },
  { id: 'd', parent: 'gone' },
  { id: 'e', parent: 'c' },
  { id: 'f', parent: 'a' },
];

it('puts children after their parent, and keeps entries with an unknown parent', () => {
  const tree = flattenTree(
    list,
    ({ id }) => id,
    ({ parent }) => parent,
  );
  expect(tree.map(({ id, depth }) => `${depth}${id}`)).toEqual(['0a', '1c', '2e', '1f', '0b', '0d']);
});
