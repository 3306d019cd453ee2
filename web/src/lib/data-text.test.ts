import { describe, expect, it } from 'vitest';
import { inlineValue, plainPreview, prettyText } from './data-text.ts';

describe('prettyText', () => {
  it('indents JSON objects and arrays', () => {
    expect(prettyText(' {"a":[1]} ')).toEqual({ text: '{\n  "a": [\n    1\n  ]\n}', isJson: true });
  });

  it.each(['{not json', 'plain text', '42', '"quoted"', ''])('leaves %j as it is', (text) => {
    expect(prettyText(text)).toEqual({ text, isJson: false });
  });
});

describe('inlineValue', () => {
  it.each([
    [{ path: '/var', limit: 5 }, 'path: /var, limit: 5'],
    [{ deep: { a: 1 } }, 'deep: {"a":1}'],
    ['text', 'text'],
    [[1, 2], '[1,2]'],
    [null, ''],
    [true, 'true'],
  ])('%j', (value, text) => {
    expect(inlineValue(value)).toBe(text);
  });
});

describe('plainPreview', () => {
  it('drops headings, lists, emphasis and links', () => {
    const markdown = '## Cause\n\n- **Disk** `/var` is [full](https://example.com)\n1. rotate_logs now';
    expect(plainPreview(markdown)).toBe('Cause Disk /var is full rotate_logs now');
  });

  it('keeps to its length', () => {
    expect(plainPreview('word '.repeat(500), 100)).toHaveLength(100);
  });
});
