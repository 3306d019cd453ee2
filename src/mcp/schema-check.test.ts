import { expect, it } from 'vitest';
import { schemaProblems as check } from './schema-check.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

it.each<[string, object, Record<string, unknown>, string | null]>([
  ['nothing wrong', object({ a: { type: 'string' } }), { a: 'x', b: 1 }, null],
  [
    'null for what is left out',
    object({ a: { type: 'string' }, b: { enum: ['x'] } }),
    { a: null, b: null },
    null,
  ],
  ['a type', object({ limit: { type: 'integer' } }), { limit: '5' }, '- limit must be integer'],
  ['what is missing', object({}, { required: ['a'] }), {}, '- a is missing'],
  ['what is nested', object({ a: object({ b: {} }, { required: ['b'] }) }), { a: {} }, '- b is missing in a'],
  ['an unknown name', object({}, { additionalProperties: false }), { nam: 1 }, '- nam is not known'],
  ['a value', object({ a: { enum: ['x', 'y'] } }), { a: 'z' }, '- a must be one of ["x","y"]'],
  [
    'several',
    object({ a: { type: 'string' } }, { required: ['b'] }),
    { a: 1 },
    '- b is missing\n- a must be string',
  ],
  [
    'an item',
    object({ a: { type: 'array', items: { type: 'number' } } }),
    { a: [1, 'x'] },
    '- a.1 must be number',
  ],
  [
    'an older dialect',
    { $schema: 'http://json-schema.org/draft-07/schema#', ...object({ a: { type: 'string' } }) },
    { a: 1 },
    '- a must be string',
  ],
  [
    'a property named pattern',
    object({ pattern: { type: 'string' } }),
    { pattern: 1 },
    '- pattern must be string',
  ],
  [
    'a definition',
    { ...object({ a: { $ref: '#/$defs/n' } }), $defs: { n: { type: 'number' } } },
    { a: 'x' },
    '- a must be number',
  ],
  ['a definition of another server', object({ a: { $ref: 'https://example.com/x' } }), { a: 1 }, null],
  ['no schema at all', object({ a: { type: 'nonsense' } }), { a: 1 }, null],
  [
    'names by a pattern',
    object({}, { patternProperties: { '^x': {} }, additionalProperties: false }),
    { x1: 1 },
    null,
  ],
])('%s', (_, schema, args, expected) => {
  expect(check(schema, args)).toBe(expected);
});

it('is not kept busy by a pattern', () => {
  const schema = object({ a: { type: 'string', pattern: '^(a+)+$' } });
  expect(check(schema, { a: `${'a'.repeat(40)}!` })).toBeNull();
});

it('tells the first of many problems, and how many more there are', () => {
  const required = Array.from({ length: 20 }, (_, index) => `p${index}`);
  const lines = check(object({}, { required }), {})?.split('\n');
  expect(lines).toHaveLength(9);
  expect(lines?.at(-1)).toBe('- and 12 more');
});
