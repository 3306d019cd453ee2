import { describe, expect, it } from 'vitest';
import { textLines } from './text-lines.ts';

describe('textLines', () => {
  it('keeps empty lines and a trailing line break', () => {
    expect(textLines('a\n\nb\n').map(({ text }) => text)).toEqual(['a', '', 'b', '']);
  });

  it('splits long lines without losing text or splitting a character', () => {
    const line = `x${'😀'.repeat(5_000)}`;
    const pieces = textLines(line);
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.map(({ text }) => text).join('')).toBe(line);
    for (const { text } of pieces) expect(text.isWellFormed()).toBe(true);
  });

  it('returns the offset of each line', () => {
    const text = `ab\n${'x'.repeat(5_000)}\n\nend`;
    for (const line of textLines(text))
      expect(text.slice(line.start, line.start + line.text.length)).toBe(line.text);
  });

  it('numbers lines, not their pieces', () => {
    const lines = textLines(`a\n${'x'.repeat(5_000)}\nb`).map(({ number, isRest }) => [number, isRest]);
    expect(lines).toEqual([
      [1, false],
      [2, false],
      [2, true],
      [2, true],
      [3, false],
    ]);
  });
});
