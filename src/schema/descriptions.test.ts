import { buildSchema } from 'graphql';
import { expect, it } from 'vitest';
import { elementsOf, undescribed } from '../../scripts/lib/undescribed.ts';
import { schema } from './index.ts';

it('describes every element', () => {
  expect(elementsOf(schema).length).toBeGreaterThan(350);
  expect(undescribed(schema)).toEqual([]);
});

it('detects elements without a description, or with one that is no sentence', () => {
  const silent = buildSchema(`
    "What can be read."
    type Query { a(b: I): E }
    input I { c: Int }
    enum E { "A." A "no sentence" B_C }
  `);
  expect(undescribed(silent)).toEqual(['Query.a', 'Query.a(b:)', 'I', 'I.c', 'E', 'E.A', 'E.B_C']);
});
