import { expect, test } from 'vitest';
import { appendChunk } from './fold.ts';

test.each([
  ['goes on', 'ab', { offset: 2, delta: 'cd' }, { text: 'abcd', added: 'cd' }],
  ['begins', '', { offset: 0, delta: 'ab' }, { text: 'ab', added: 'ab' }],
  ['repeats all so far and goes on', 'ab', { offset: 0, delta: 'abcd' }, { text: 'abcd', added: 'cd' }],
  ['repeats what is known', 'abcd', { offset: 1, delta: 'bc' }, { text: 'abcd', added: '' }],
  ['is empty', 'ab', { offset: 2, delta: '' }, { text: 'ab', added: '' }],
  ['begins beyond the end', 'ab', { offset: 3, delta: 'd' }, null],
])('a piece that %s', (_, text, piece, expected) => {
  expect(appendChunk(text, piece)).toEqual(expected);
});

test('pieces cut anywhere, some of them twice, make the exact text', () => {
  const whole = 'Plan: ↯ 😀 fin\n'.repeat(3);
  for (let size = 1; size <= whole.length; size += 1) {
    let text = '';
    for (let offset = 0; offset < whole.length; offset += size) {
      for (const from of [offset, Math.max(0, offset - 2)]) {
        text = appendChunk(text, { offset: from, delta: whole.slice(from, offset + size) })?.text ?? 'gap';
      }
    }
    expect(text).toBe(whole);
  }
});
