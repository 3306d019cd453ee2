import { expect, test } from 'vitest';
import { visibleJson, visibleText } from './visible-json.ts';

test('JSON shows hidden characters and keeps readable ones', () => {
  expect(visibleJson({ path: '/tmp/\u202egpj.sh\u200b\u00a0' })).toBe(
    '{\n  "path": "/tmp/\\u202egpj.sh\\u200b\\u00a0"\n}',
  );
  expect(visibleJson('🚨 é \n')).toBe('"🚨 é \\n"');
});

test('fillers, selectors and blanks of any script are visible', () => {
  for (const hidden of ['\u009b', '\u034f', '\u115f', '\u2800', '\u3164', '\ufe0f', '\ufffa', '\u{e0101}'])
    expect(visibleJson({ [hidden]: hidden }), JSON.stringify(hidden)).toMatch(/^[ -~\n]+$/);
});

test('a text shows each half of a hidden character beyond 16 bits, and keeps its lines', () => {
  expect(visibleText('a\n\u{e0041}b\t')).toBe('a\n\\udb40\\udc41b\\u0009');
});
