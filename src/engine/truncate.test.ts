import { expect, test } from 'vitest';
import { beginning, estimateTokens, truncate } from './truncate.ts';

test('a text within the limit stays as it is', () => {
  expect(truncate('four', 4)).toBe('four');
  expect(beginning('four', 4)).toBe('four');
});

test('the cut is at the end of a line where one is near, and says how much is missing', () => {
  expect(truncate('first line\nsecond line', 12)).toBe('first line\n[… cut: 12 of 22 characters left out]');
  expect(beginning('a\nlong second line', 12)).toBe('a\nlong secon');
});

test('no character is cut in two, wherever the limit is', () => {
  const text = 'ab👩🏽‍🚀cd'.repeat(3);
  for (let max = 0; max <= text.length; max++) expect(beginning(text, max).isWellFormed()).toBe(true);
});

test('no mask is cut in two, wherever the limit is', () => {
  const text = 'password=[MASKED_PASSWORD] and [MASKED] and [MASKED_SECRET_DATA][MASKED_API_KEY] end';
  for (let max = 0; max <= text.length; max++) {
    const cut = beginning(text, max);
    expect(cut.length).toBeLessThanOrEqual(max);
    expect(cut.replaceAll(/\[MASKED(_[A-Z_]+)?\]/g, '')).not.toContain('[');
  }
});

test('what only looks like a mask is cut like any other text', () => {
  expect(beginning('see [MASKEDx] here', 8)).toBe('see [MAS');
});

test('tokens are estimated at four characters each, rounded up', () => {
  expect([estimateTokens(''), estimateTokens('a'), estimateTokens('abcde')]).toEqual([0, 1, 2]);
});
