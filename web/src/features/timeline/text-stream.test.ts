import { describe, expect, it } from 'vitest';
import { emptyText, layPiece, type TextStream } from './text-stream.ts';

const lay = (...pieces: [number, string][]): TextStream =>
  pieces.reduce((stream, [offset, delta]) => layPiece(stream, offset, delta), emptyText);

describe('layPiece', () => {
  it('appends pieces at their offsets', () => {
    expect(lay([0, 'Disk '], [5, 'is '], [8, 'full']).text).toBe('Disk is full');
  });

  it('is the same for a piece laid twice', () => {
    const once = lay([0, 'Disk '], [5, 'is ']);
    expect(layPiece(once, 5, 'is ')).toBe(once);
    expect(layPiece(once, 0, 'Disk')).toBe(once);
  });

  it('lets a piece at 0 extend the text so far', () => {
    expect(lay([0, 'Disk '], [0, 'Disk is fu'], [10, 'll']).text).toBe('Disk is full');
  });

  it('lets a piece at 0 replace text that reads differently', () => {
    expect(lay([0, 'wrong text, longer'], [0, 'right']).text).toBe('right');
  });

  it('holds a piece beyond the end until the hole is filled', () => {
    const holed = lay([0, 'ab'], [4, 'ef'], [6, 'gh']);
    expect(holed.text).toBe('ab');
    expect(layPiece(holed, 2, 'cd')).toEqual({ text: 'abcdefgh', ahead: [] });
  });

  it('counts UTF-16 code units', () => {
    expect(lay([0, '😀'], [2, '!']).text).toBe('😀!');
  });

  it('puts a surrogate pair that was cut in two together again', () => {
    const smile = '😀';
    expect(lay([0, smile.slice(0, 1)], [1, smile.slice(1)]).text).toBe(smile);
  });

  it('ignores nonsense', () => {
    expect(layPiece(emptyText, -1, 'x')).toBe(emptyText);
    expect(layPiece(emptyText, 0, '')).toBe(emptyText);
  });
});
