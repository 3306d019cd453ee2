import { expect, test } from 'vitest';
import { isExactNumber, parseJson } from './parse-json.ts';

test('keeps numbers that JavaScript would change', () => {
  const text = '{"id":5768263873461203457,"most":1e400,"ratio":1.0,"n":[7,-0.5],"text":"1.0"}';
  const value = parseJson(text) as { id: object; n: object };
  expect(JSON.stringify(value)).toBe(text);
  expect(isExactNumber(value.id)).toBe(true);
  expect(isExactNumber(value.n)).toBe(false);
  expect(value.n).toEqual([7, -0.5]);
});

test('rejects invalid JSON', () => {
  expect(() => parseJson('{"a":')).toThrow(SyntaxError);
});
