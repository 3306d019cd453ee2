import { expect, test } from 'vitest';
import { partAround, widenPassage } from './passage.ts';

test('shows whole lines around a passage, and more on demand', () => {
  const text = Array.from({ length: 100_000 }, (_, n) => `line ${n}`).join('\n');
  const start = text.indexOf('line 50000');
  const part = partAround(text, { start, end: start + 10 });
  const shown = text.slice(part.start, part.end).split('\n');
  expect([shown[0], shown.at(-1)].every((line) => /^line \d{5}$/.test(line!))).toBe(true);
  expect(shown).toContain('line 50000');
  expect(part.end - part.start).toBeLessThan(20_100);
  const before = widenPassage(text, part, 40_000, -1);
  expect([before.end, part.start - before.start > 39_000]).toEqual([part.end, true]);
  expect(widenPassage(text, part, 1e9)).toEqual({ start: 0, end: text.length });
  expect(partAround('short', null)).toEqual({ start: 0, end: 5 });
});

test('does not split a character in a very long line', () => {
  const text = '\u{1f4a5}'.repeat(50_000);
  for (const start of [50_000, 50_002]) {
    const { start: from, end: to } = partAround(text, { start, end: start + 2 });
    expect(text.slice(from, to)).toMatch(/^(\u{1f4a5})+$/u);
  }
});
