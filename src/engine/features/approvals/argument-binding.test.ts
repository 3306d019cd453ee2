import { expect, it, test } from 'vitest';
import { bindArguments, boundArguments, canonicalJson, hashOfCall } from './argument-binding.ts';

it('serializes equal values equally, whatever the order of their keys', () => {
  expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'x' })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
  expect(canonicalJson(JSON.parse('{"__proto__":1,"a":2}'))).toBe('{"__proto__":1,"a":2}');
});

test.each([
  ['server', ['other', 'drop', { a: 1 }]],
  ['tool', ['db', 'drop_all', { a: 1 }]],
  ['value', ['db', 'drop', { a: 2 }]],
  ['type', ['db', 'drop', { a: '1' }]],
  ['key', ['db', 'drop', { a: 1, b: null }]],
  ['order of a list', ['db', 'drop', { a: [2, 1] }]],
] as const)('another %s is another call', (_, [server, tool, args]) => {
  const ours = hashOfCall('db', 'drop', _ === 'order of a list' ? { a: [1, 2] } : { a: 1 });
  expect(hashOfCall(server, tool, args)).not.toBe(ours);
});

const ROW = { server: 'db', tool: 'drop', arguments: { a: '***' }, sealedArguments: null, argumentsHash: '' };

it('binds masked arguments by a hash that cannot confirm a guess', () => {
  const whole = { a: 'secret' };
  const seal = (data: Uint8Array) => Buffer.from(data).toString();
  const open = (sealed: string) => Buffer.from(sealed);
  const bound = bindArguments(ROW, whole, seal);
  expect(bound.argumentsHash).not.toBe(hashOfCall('db', 'drop', whole));
  expect(bound.argumentsHash).not.toBe(bindArguments(ROW, whole, seal).argumentsHash);
  expect(boundArguments({ ...ROW, ...bound }, open)).toEqual(whole);
  expect(boundArguments({ ...ROW, ...bound, tool: 'drop_all' }, open)).toBeNull();
  expect(bindArguments({ ...ROW, arguments: whole }, whole, seal)).toEqual({
    ...{ sealedArguments: null, argumentsHash: hashOfCall('db', 'drop', whole) },
  });
});

it('returns the requested arguments, or null', () => {
  const whole = { a: 'secret' };
  const argumentsHash = hashOfCall('db', 'drop', whole);
  const seal = (value: unknown) => JSON.stringify(value);
  const open = (sealed: string) => Buffer.from(sealed);
  expect(boundArguments({ ...ROW, sealedArguments: seal(whole), argumentsHash }, open)).toEqual(whole);
  expect(boundArguments({ ...ROW, arguments: whole, argumentsHash }, open)).toEqual(whole);
  expect(boundArguments({ ...ROW, argumentsHash }, open)).toBeNull();
  expect(boundArguments({ ...ROW, sealedArguments: seal({ a: 'other' }), argumentsHash }, open)).toBeNull();
  expect(boundArguments({ ...ROW, tool: 'drop_all', arguments: whole, argumentsHash }, open)).toBeNull();
  expect(boundArguments({ ...ROW, sealedArguments: seal(whole), argumentsHash }, () => null)).toBeNull();
});
