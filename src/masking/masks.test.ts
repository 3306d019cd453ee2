import { expect, test } from 'vitest';
import { applyMasks } from './masks.ts';

test('replaces overlapping ranges as one', () => {
  const first = { start: 1, end: 4, replacement: '[A]' };
  const longer = { start: 3, end: 7, replacement: '[B]' };
  expect(applyMasks('0123456789', [longer, first])).toBe('0[A]789');
});
