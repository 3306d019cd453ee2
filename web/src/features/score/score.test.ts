import { expect, test } from 'vitest';
import { dimensionsOf, tagLabel } from './score-labels.ts';

test('dimensions are sorted, and malformed ones are skipped', () => {
  const part = (points: unknown) => ({ points, reason: 'why' });
  const read = dimensionsOf({ tools: part(40), outcome: part(60), evidence: part('80'), other: part(1) });
  expect(read.map(({ label, points }) => [label, points])).toEqual([
    ['Outcome', 60],
    ['Tool use', 40],
  ]);
  for (const nothing of [null, undefined, 7, 'text', []]) expect(dimensionsOf(nothing)).toEqual([]);
});

test('an unknown tag is shown unchanged', () => {
  expect([tagLabel('wrong_conclusion'), tagLabel('new_one')]).toEqual(['Wrong conclusion', 'new_one']);
});
