import { expect, it } from 'vitest';
import { cpuMs } from '../../test/helpers/cpu-time.ts';
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
  [
    'what is missing and has a default, even in a choice',
    object(
      {
        a: { type: 'boolean', default: false },
        c: { anyOf: [object({ d: { default: 1 } }, { required: ['d'] })] },
      },
      { required: ['a', 'b'] },
    ),
    { c: {} },
    '- b is missing',
  ],
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
  [
    'one that says it is asynchronous',
    { ...object({ a: { $ref: '#/$defs/n' } }), $async: true, $defs: { n: { $async: true, type: 'number' } } },
    { a: 'x' },
    '- a must be number',
  ],
  [
    'a definition that leads to itself without end',
    { ...object({ a: { $ref: '#/$defs/n' } }), $defs: { n: { anyOf: [{ $ref: '#/$defs/n' }] } } },
    { a: 'x' },
    null,
  ],
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

it('is not blocked by a slow pattern', () => {
  const schema = object({ a: { type: 'string', pattern: '^(a+)+$' } });
  expect(check(schema, { a: `${'a'.repeat(40)}!` })).toBeNull();
});

const twice = (of: string) => ({ allOf: [{ $ref: of }, { $ref: of }] });
const definitions = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [`d${index + 1}`, twice(`#/$defs/d${index}`)]),
);
const names = (of: object) =>
  Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, of]));
const deep = (depth: number): unknown => JSON.parse(`${'{"c":'.repeat(depth)}1${'}'.repeat(depth)}`);

it.each<[string, object, unknown]>([
  [
    'definitions that come to 2^40 checks',
    { $defs: { d0: { type: 'string' }, ...definitions }, ...object({ a: { $ref: '#/$defs/d40' } }) },
    { a: 1 },
  ],
  ['2^40 checks of what is nested', object({ c: twice('#') }), deep(40)],
  [
    'a quarter of a million names to compile',
    { ...object(names({ $ref: '#/$defs/n' })), $defs: { n: object(names({ type: 'string' })) } },
    { p1: 1 },
  ],
])('is kept busy but once, and not for long, by %s', (_, schema, value) => {
  const took = cpuMs(() => {
    for (let times = 0; times < 20; times += 1) expect(check(structuredClone(schema), value)).toBeNull();
  });
  expect(took).toBeLessThan(10_000);
});

it('accepts a value that is nested too deeply and still checks others', () => {
  const schema = object({ c: { $ref: '#' } });
  expect(check(schema, deep(100_000))).toBeNull();
  expect(check(schema, { c: 1 })).toBe('- c must be object');
});

it('lists the first problems and the number of others', () => {
  const required = Array.from({ length: 20 }, (_, index) => `p${index}`);
  const lines = check(object({}, { required }), {})?.split('\n');
  expect(lines).toHaveLength(9);
  expect(lines?.at(-1)).toBe('- and 12 more');
});
