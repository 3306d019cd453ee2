import { expect, test } from 'vitest';
import { createSanitizer, sanitize, sanitizeLine } from './printable.ts';

test.each([
  ['colours', '\x1b[31mred\x1b[0m', 'red'],
  ['cursor moves', 'a\x1b[2J\x1b[1;1Hb', 'ab'],
  ['the title', '\x1b]0;owned\x07text', 'text'],
  ['the clipboard', '\x1b]52;c;cHduZWQ=\x1b\\text', 'text'],
  ['links, not their text', '\x1b]8;;http://e\x1b\\here\x1b]8;;\x1b\\', 'here'],
  ['8-bit control sequences', '\x9b31mred \x9d0;t\x9cok', 'red ok'],
  ['device control', '\x1bP+q544e\x1b\\ok', 'ok'],
  ['a charset switch', '\x1b(0lqk', 'lqk'],
  ['controls but line feed and tab', 'a\rb\bc\0d\x7fe\tf\ng', 'abcde\tf\ng'],
  ['marks that reorder', 'a\u202eb\u2066c', 'abc'],
])('removes %s', (_, text, clean) => {
  expect(sanitize(text)).toBe(clean);
});

test('an unterminated sequence hides at most its own line', () => {
  expect(sanitize('\x1b]0;evil\nnext\x1b[12\nlast')).toBe('\nnext\nlast');
});

test('keeps ordinary text of any script, and replaces halves of characters', () => {
  expect(sanitize('naïve 磁盘 😀 ✓')).toBe('naïve 磁盘 😀 ✓');
  expect(sanitize('a\ud83d')).toBe('a\ufffd');
  expect(sanitize('\ude00a')).toBe('\ufffda');
});

test('splitting a text anywhere gives the same result', () => {
  const text = 'ok \x1b[31mred\x1b[0m \x1b]0;t\x07😀 \x9b1m磁\x1b]8;;x\x1b\\e';
  for (let at = 0; at <= text.length; at += 1) {
    const sanitizer = createSanitizer();
    expect(sanitizer.push(text.slice(0, at)) + sanitizer.push(text.slice(at)) + sanitizer.end()).toBe(
      'ok red 😀 磁e',
    );
  }
});

test('a line stays a single line', () => {
  expect(sanitizeLine(' a\n\tb\x1b[1m  c ')).toBe('a b c');
});
