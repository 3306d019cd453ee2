import { expect, it } from 'vitest';
import { isComposing } from './composing.ts';

it('knows the keys of an input method, also the Enter key that ends a word in Safari', () => {
  expect(isComposing({ isComposing: true, keyCode: 229 })).toBe(true);
  expect(isComposing({ isComposing: false, keyCode: 229 })).toBe(true);
  expect(isComposing({ isComposing: false, keyCode: 13 })).toBe(false);
});
