import { expect, test } from 'vitest';
import { CIRCUIT_FAILURES, CIRCUIT_OPEN_MS, createCircuits } from './provider-availability.ts';

function bench() {
  let time = 1_000;
  const told: [string, boolean][] = [];
  const circuits = createCircuits(
    (provider, open) => void told.push([provider, open]),
    () => time,
  );
  const pass = (ms: number) => {
    time += ms;
  };
  return { circuits, told, pass };
}

test('one that refuses is left alone at once, the others are not', () => {
  const { circuits, told } = bench();
  circuits.failed('a', 'REFUSED');
  expect([circuits.isOpen('a'), circuits.admits('a'), circuits.admits('b')]).toEqual([true, false, true]);
  expect(told).toEqual([['a', true]]);
});

test.each(['BUSY', 'SILENT', 'BROKEN_OFF', 'MALFORMED'] as const)(
  'one that fails (%s) is left alone after some failures in a row',
  (reason) => {
    const { circuits, told } = bench();
    for (let n = 1; n < CIRCUIT_FAILURES; n += 1) circuits.failed('a', reason);
    expect(circuits.admits('a')).toBe(true);
    circuits.answered('a'); // the row is broken
    for (let n = 1; n < CIRCUIT_FAILURES; n += 1) circuits.failed('a', reason);
    expect(told).toEqual([]);
    circuits.failed('a', reason);
    expect(circuits.admits('a')).toBe(false);
    expect(told).toEqual([['a', true]]);
  },
);

test('a conversation that is too long says nothing about its provider', () => {
  const { circuits } = bench();
  for (let n = 0; n <= CIRCUIT_FAILURES; n += 1) circuits.failed('a', 'TOO_LONG');
  expect(circuits.admits('a')).toBe(true);
});

test('after its time one tries; that it fails keeps the others away again, that it succeeds lets them back', () => {
  const { circuits, told, pass } = bench();
  circuits.failed('a', 'REFUSED');
  pass(CIRCUIT_OPEN_MS - 1);
  expect(circuits.admits('a')).toBe(false);
  pass(1);
  expect(circuits.isOpen('a')).toBe(false);
  expect([circuits.admits('a'), circuits.admits('a')]).toEqual([true, false]);
  circuits.failed('a', 'BUSY');
  pass(CIRCUIT_OPEN_MS - 1);
  expect(circuits.admits('a')).toBe(false);
  pass(1);
  expect(circuits.admits('a')).toBe(true);
  circuits.answered('a');
  expect([circuits.admits('a'), circuits.admits('a')]).toEqual([true, true]);
  expect(told).toEqual([
    ['a', true],
    ['a', false],
  ]);
});

test('one that tried and was never heard of again does not keep it closed for ever', () => {
  const { circuits, pass } = bench();
  circuits.failed('a', 'REFUSED');
  pass(CIRCUIT_OPEN_MS);
  expect(circuits.admits('a')).toBe(true);
  expect(circuits.admits('a')).toBe(false);
  pass(CIRCUIT_OPEN_MS);
  expect(circuits.admits('a')).toBe(true);
});
