import { expect, test } from 'vitest';
import { maybeSamePerson } from './same-person.ts';

test.each([
  ['ana', 'ana', true],
  ['Ana@Example.com', 'ana@example.com', true],
  ['ana', 'ana@example.com', true],
  ['ANA@example.com', 'ana', true],
  ['ana@example.com', 'ana@other.example', false],
  ['ana', 'anna@example.com', false],
  ['an', 'ana@example.com', false],
  ['', '@example.com', false],
  ['token:ci', 'ci@example.com', false],
])('%s and %s: %s', (one, other, expected) => {
  expect(maybeSamePerson(one, other)).toBe(expected);
  expect(maybeSamePerson(other, one)).toBe(expected);
});
