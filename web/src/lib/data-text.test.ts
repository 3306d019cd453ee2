import { describe, expect, it } from 'vitest';
import { inlineValue, plainPreview } from './data-text.ts';
import { parseJson } from './parse-json.ts';

describe('inlineValue', () => {
  it.each([
    [{ path: '/var', limit: 5 }, 'path: /var, limit: 5'],
    [{ deep: { a: 1 } }, 'deep: {"a":1}'],
    ['text', 'text'],
    [[1, 2], '[1,2]'],
    [null, ''],
    [true, 'true'],
    [parseJson('{"id":5768263873461203457}'), 'id: 5768263873461203457'],
    [parseJson('1.0'), '1.0'],
  ])('%j', (value, text) => {
    expect(inlineValue(value)).toBe(text);
  });
});

describe('plainPreview', () => {
  it('drops headings, lists, emphasis and links', () => {
    const markdown = '## Cause\n\n- **Disk** `/var` is [full](https://example.com)\n1. rotate_logs now';
    expect(plainPreview(markdown)).toBe('Cause Disk /var is full rotate_logs now');
  });

  it('respects the maximum length', () => {
    expect(plainPreview('word '.repeat(500), 100)).toHaveLength(100);
  });
});
