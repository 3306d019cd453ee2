import { describe, expect, it } from 'vitest';
import { emptyTextStream, insertChunk, type TextStream } from './text-stream.ts';

const insertAll = (...chunks: [number, string][]): TextStream =>
  chunks.reduce((stream, [offset, delta]) => insertChunk(stream, offset, delta), emptyTextStream);

describe('layPiece', () => {
  it('appends chunks at their offsets', () => {
    expect(insertAll([0, 'Disk '], [5, 'is '], [8, 'full']).text).toBe('Disk is full');
  });

  it('ignores a repeated chunk', () => {
    const once = insertAll([0, 'Disk '], [5, 'is ']);
    expect(insertChunk(once, 5, 'is ')).toBe(once);
    expect(insertChunk(once, 0, 'Disk')).toBe(once);
  });

  it('extends the text by a chunk at offset 0', () => {
    expect(insertAll([0, 'Disk '], [0, 'Disk is fu'], [10, 'll']).text).toBe('Disk is full');
  });

  it('replaces different text by a chunk at offset 0', () => {
    expect(insertAll([0, 'wrong text, longer'], [0, 'right']).text).toBe('right');
  });

  it('keeps a chunk beyond the end until the gap is filled', () => {
    const withGap = insertAll([0, 'ab'], [4, 'ef'], [6, 'gh']);
    expect(withGap.text).toBe('ab');
    expect(insertChunk(withGap, 2, 'cd')).toEqual({ text: 'abcdefgh', pending: [] });
  });

  it('keeps a chunk behind a second gap when the first gap is filled', () => {
    const gaps = insertAll([0, 'ab'], [4, 'ef'], [9, 'j']);
    const filled = insertChunk(gaps, 2, 'cd');
    expect(filled).toEqual({ text: 'abcdef', pending: [{ offset: 9, delta: 'j' }] });
  });

  it('counts UTF-16 code units', () => {
    expect(insertAll([0, '😀'], [2, '!']).text).toBe('😀!');
  });

  it('rejoins a split surrogate pair', () => {
    const smile = '😀';
    expect(insertAll([0, smile.slice(0, 1)], [1, smile.slice(1)]).text).toBe(smile);
  });

  it('ignores a negative offset and an empty chunk', () => {
    expect(insertChunk(emptyTextStream, -1, 'x')).toBe(emptyTextStream);
    expect(insertChunk(emptyTextStream, 0, '')).toBe(emptyTextStream);
  });
});
