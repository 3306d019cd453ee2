import { expect, it } from 'vitest';
import { hashOfToken, isToken, looksLikeToken, makeToken, prefixOfToken } from './token-form.ts';

it('is random, with a prefix that scanners know and a checksum', () => {
  const tokens = new Set(Array.from({ length: 100 }, makeToken));
  expect(tokens.size).toBe(100);
  for (const token of tokens) {
    expect(token).toMatch(/^tarsy_[0-9A-Za-z]{46}$/);
    expect(isToken(token) && looksLikeToken(token)).toBe(true);
  }
});

it('is distinguished from a mistyped token without a query', () => {
  const token = makeToken();
  for (let place = 6; place < token.length; place += 1) {
    const other = token[place] === 'a' ? 'b' : 'a';
    expect(isToken(`${token.slice(0, place)}${other}${token.slice(place + 1)}`)).toBe(false);
  }
  for (const wrong of ['', 'tarsy_', token.slice(0, -1), `${token}0`, ` ${token}`, token.toUpperCase()])
    expect(isToken(wrong)).toBe(false);
});

it('reveals only its beginning', () => {
  const token = makeToken();
  expect(prefixOfToken(token)).toBe(token.slice(0, 12));
  expect(hashOfToken(token)).toMatch(/^[0-9a-f]{64}$/);
});
