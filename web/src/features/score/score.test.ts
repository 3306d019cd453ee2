import { expect, test } from 'vitest';
import { dimensionsOf, tagWords } from './score-labels.ts';

test('the parts of a score are read in one order, and what is not whole is left out', () => {
  const part = (points: unknown) => ({ points, reason: 'why' });
  const read = dimensionsOf({ tools: part(40), outcome: part(60), evidence: part('80'), other: part(1) });
  expect(read.map(({ label, points }) => [label, points])).toEqual([
    ['Outcome', 60],
    ['Use of tools', 40],
  ]);
  for (const nothing of [null, undefined, 7, 'text', []]) expect(dimensionsOf(nothing)).toEqual([]);
});

test('a word that the page does not know is shown as it is', () => {
  expect([tagWords('wrong_conclusion'), tagWords('new_one')]).toEqual(['Wrong conclusion', 'new_one']);
});
