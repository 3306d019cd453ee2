import { expect, test } from 'vitest';
import { beginning, estimateTokens, headAndTail, truncate } from './truncate.ts';

test('a text within the limit stays as it is', () => {
  expect(truncate('four', 4)).toBe('four');
  expect(beginning('four', 4)).toBe('four');
});

test('cuts at a nearby line end and says how much is missing', () => {
  expect(truncate('first line\nsecond line', 12)).toBe('first line\n[… cut: 12 of 22 characters left out]');
  expect(beginning('a\nlong second line', 12)).toBe('a\nlong secon');
});

test('never splits a character, at any limit', () => {
  const text = 'ab👩🏽‍🚀cd'.repeat(3);
  for (let max = 0; max <= text.length; max++) expect(beginning(text, max).isWellFormed()).toBe(true);
});

test('never splits a mask, at any limit', () => {
  const text = 'password=[MASKED_PASSWORD] and [MASKED] and [MASKED_SECRET_DATA][MASKED_API_KEY] end';
  for (let max = 0; max <= text.length; max++) {
    const cut = beginning(text, max);
    expect(cut.length).toBeLessThanOrEqual(max);
    expect(cut.replaceAll(/\[MASKED(_[A-Z_]+)?\]/g, '')).not.toContain('[');
  }
});

test('cuts a text that only resembles a mask like any other text', () => {
  expect(beginning('see [MASKEDx] here', 8)).toBe('see [MAS');
});

test('tokens are estimated at four characters each, rounded up', () => {
  expect([estimateTokens(''), estimateTokens('a'), estimateTokens('abcde')]).toEqual([0, 1, 2]);
});

test('keeps beginning and end within the limit, cuts cleanly and says how much is missing', () => {
  const text = `first\n${'a line\n'.repeat(100)}last`;
  const short = headAndTail(text, 200);
  expect(short.length).toBeLessThanOrEqual(200);
  expect(short).toMatch(
    /^first\n(a line\n)+(?:a line)?\n\[… shortened: \d+ of 710 characters left out here …\]\n(a line\n)+last$/,
  );
  const [note, missing] = /\n\[… shortened: (\d+) .*\n/.exec(short)!;
  expect(text.length - (short.length - note.length)).toBe(Number(missing));
  const odd = '👩🏽‍🚀 [MASKED_PASSWORD] '.repeat(30);
  for (let max = 100; max <= odd.length; max++) {
    const cut = headAndTail(odd, max);
    expect(cut.isWellFormed()).toBe(true);
    expect(cut.length).toBeLessThanOrEqual(max);
    expect(cut.replaceAll(/\[(MASKED_[A-Z_]+|… shortened.*)\]/g, '')).not.toMatch(/[[\]]/);
  }
});
