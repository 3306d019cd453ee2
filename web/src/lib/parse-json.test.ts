import { expect, test } from 'vitest';
import { isExactNumber, parseJson } from './parse-json.ts';

test('numbers that would be others stay as they came', () => {
  const text = '{"id":5768263873461203457,"most":1e400,"ratio":1.0,"n":[7,-0.5],"text":"1.0"}';
  const value = parseJson(text) as { id: object; n: object };
  expect(JSON.stringify(value)).toBe(text);
  expect(isExactNumber(value.id)).toBe(true);
  expect(isExactNumber(value.n)).toBe(false);
  expect(value.n).toEqual([7, -0.5]);
});

test('what is no JSON is refused', () => {
  expect(() => parseJson('{"a":')).toThrow(SyntaxError);
});
