import { describe, expect, it } from 'vitest';
import { alertTitle, inlineValue, plainPreview, prettyText } from './data-text.ts';

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

describe('alertTitle', () => {
  it('takes the first line that is not blank', () => {
    expect(alertTitle('\n\n  Disk   almost full \nmore')).toBe('Disk almost full');
    expect(alertTitle('# Disk #3 full\n\nSeverity: ERROR')).toBe('Disk #3 full');
  });

  it('finds a telling member of a JSON alert', () => {
    const alert = {
      status: 'firing',
      labels: { alertname: 'ApiSlow' },
      annotations: { summary: 'API is slow' },
    };
    expect(alertTitle(JSON.stringify(alert))).toBe('API is slow');
  });

  it('falls back to the text when the JSON names nothing, or is broken', () => {
    expect(alertTitle('{"x":1}')).toBe('{"x":1}');
    expect(alertTitle('{"title":')).toBe('{"title":');
  });

  it('cuts long lines', () => {
    const title = alertTitle('x'.repeat(500), 20);
    expect(title).toHaveLength(20);
    expect(title.endsWith('…')).toBe(true);
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
