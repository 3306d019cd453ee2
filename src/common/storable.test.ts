import { expect, test } from 'vitest';
import { toStorableJson } from './storable.ts';

test.each([
  [
    'is storable as it is',
    { a: ['größer 🚨', 1, null, true], b: undefined },
    { a: ['größer 🚨', 1, null, true] },
  ],
  ['has a NUL', { a: ['x\0y'] }, { a: ['x\ufffdy'] }],
  ['has half of a surrogate pair', ['\ud83d', '\udea8x'], ['\ufffd', '\ufffdx']],
  ['has a key that is no text', { 'k\0': { '\ud83d': 1 } }, { 'k\ufffd': { '\ufffd': 1 } }],
  ['only looks so', { a: 'C:\\u0000\\ud83d' }, { a: 'C:\\u0000\\ud83d' }],
])('what %s', (_, value, stored) => {
  expect(JSON.parse(toStorableJson(value)!)).toEqual(stored);
});

test('null and undefined give null', () => {
  expect([toStorableJson(null), toStorableJson(undefined)]).toEqual([null, null]);
});
