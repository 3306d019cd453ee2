import { expect, test } from 'vitest';
import { prettyJson } from './pretty-json.ts';

test('indents JSON without changing its tokens, and moves the passage along', () => {
  const text = '{"pods":[{"name":"a, \\"b\\": {c}","id":12345678901234567890},{}],"none":[ ],"ok":true}';
  const { text: pretty } = prettyJson(text, null);
  expect(pretty).toBe(
    [
      '{',
      '  "pods": [',
      '    {',
      '      "name": "a, \\"b\\": {c}",',
      '      "id": 12345678901234567890',
      '    },',
      '    {}',
      '  ],',
      '  "none": [],',
      '  "ok": true',
      '}',
    ].join('\n'),
  );
  const squeezed = (words: string): string => words.replace(/\s+/g, '');
  for (let start = 0; start < text.length; start += 1)
    for (let end = start + 1; end <= text.length; end += 1) {
      const passage = prettyJson(text, { start, end }).passage;
      const shown = passage === null ? '' : pretty.slice(passage.start, passage.end);
      expect(squeezed(shown), `${start} to ${end}`).toBe(squeezed(text.slice(start, end)));
    }
});

test('returns text that is not JSON unchanged', () => {
  for (const text of ['{"a":', 'plain', '12'])
    expect(prettyJson(text, { start: 0, end: 1 })).toEqual({
      text,
      passage: { start: 0, end: 1 },
      isJson: false,
    });
});

test('keeps long numbers and duplicate names, and decodes escapes', () => {
  const text = ' {"trace": 5768263873461203457, "most": 1e400, "a": 1.0, "a": "gr\\u00fcn\\/\\n"} ';
  expect(prettyJson(text)).toEqual({
    text: '{\n  "trace": 5768263873461203457,\n  "most": 1e400,\n  "a": 1.0,\n  "a": "grün/\\n"\n}',
    passage: null,
    isJson: true,
  });
});
