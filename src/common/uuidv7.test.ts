import { validate, version } from 'uuid';
import { expect, test } from 'vitest';
import { uuidv7 } from './uuidv7.ts';

test('keys are unique version 7 UUIDs in the order of their creation', () => {
  const keys = Array.from({ length: 5_000 }, () => uuidv7());
  expect(keys.every((key) => validate(key) && version(key) === 7)).toBe(true);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.toSorted()).toEqual(keys);
});

test('a key contains its creation time', () => {
  const before = Date.now();
  const at = Number.parseInt(uuidv7().replace('-', '').slice(0, 12), 16);
  expect(at).toBeGreaterThanOrEqual(before);
  expect(at).toBeLessThanOrEqual(Date.now());
});
