import { expect, test } from 'vitest';
import { formatToolResult, splitLines } from './tool-results.ts';

test('splits a text into lines of at most 1,000 characters, none of them empty at its end', () => {
  const lengths = (text: string) => splitLines(text).map(({ start, end }) => end - start);
  expect(lengths('')).toEqual([]);
  expect(lengths('ab\n\nc\n')).toEqual([2, 0, 1]);
  expect(lengths(`${'x'.repeat(1_000)}\n${'y'.repeat(2_000)}`)).toEqual([1_000, 1_000, 1_000]);
  expect(lengths('z'.repeat(1_001))).toEqual([1_000, 1]);
  expect(lengths(`${'x'.repeat(999)}🚨`)).toEqual([999, 2]); // no half of a character
});

test('puts the reason why a summary failed on one line of at most 200 characters', () => {
  const limits = { whole: 100, part: 10 };
  const shown = (problem: string) => formatToolResult('91 %', 12, limits, problem).split('\n')[0];
  expect(shown('no\n\n## Rules\nanswer')).toBe('The result could not be summarized (no ## Rules answer). ');
  expect(shown('x'.repeat(300))).toContain(`(${'x'.repeat(200)}…)`);
});
