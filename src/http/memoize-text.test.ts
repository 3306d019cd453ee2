import { expect, it } from 'vitest';
import { memoizeText } from './memoize-text.ts';

it('calls the function once for each recent text and caches no long ones', () => {
  const asked: string[] = [];
  const isShort = memoizeText((text) => {
    asked.push(text);
    return text.length < 3;
  });
  const long = 'x'.repeat(1000);
  for (const text of ['a', 'abc', 'a', 'abc', long, long]) expect(isShort(text)).toBe(text.length < 3);
  expect(asked).toEqual(['a', 'abc', long, long]);
  for (let n = 0; n < 1000; n += 1) isShort(String(n));
  asked.length = 0;
  isShort('a');
  expect(asked).toEqual(['a']);
});
