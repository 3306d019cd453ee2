import { describe, expect, it } from 'vitest';
import { textLines } from './text-lines.ts';

describe('textLines', () => {
  it('keeps empty lines and the end', () => {
    expect(textLines('a\n\nb\n')).toEqual(['a', '', 'b', '']);
  });

  it('cuts what is too long, loses nothing and tears no character apart', () => {
    const line = `x${'😀'.repeat(5_000)}`;
    const pieces = textLines(line);
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join('')).toBe(line);
    for (const piece of pieces) expect(piece.isWellFormed()).toBe(true);
  });
});
