import { expect, test } from 'vitest';
import { expectLinear } from '../../../../../test/helpers/cpu-time.ts';
import { allocateUnits } from '../material.ts';
import { excerpt, extractTerms } from './excerpt.ts';

test('extracts figures, names and identifiers, but no prose', () => {
  const text =
    'The pod payments/api-7d9f8 on db-3.prod was OOMKilled at 1.5 GiB (91%), see [T12]. It is down.';
  expect([...extractTerms(text)]).toEqual([
    'payments/api-7d9f8',
    'db-3.prod',
    'OOMKilled',
    '1.5',
    'GiB',
    '91%',
    'T12',
  ]);
});

test('keeps the ends of a long result and the lines with terms, and counts what is missing', () => {
  const lines = Array.from({ length: 1000 }, (_, n) => `request ${n}x handled without trouble`);
  lines[500] = 'container api-7d9f8 was OOMKilled';
  lines[501] = 'exit code 137';
  const text = lines.join('\n');
  const shown = excerpt(text, 1000, extractTerms('api-7d9f8 was OOMKilled.'));
  expect(shown.length).toBeLessThanOrEqual(1000);
  expect(shown).toContain(`${lines[0]}\n`);
  expect(shown).toContain(`${lines[500]}\n${lines[501]}\n`);
  expect(shown.endsWith(lines[999]!)).toBe(true);
  const kept = shown.split('\n').filter((line) => !line.startsWith('[…'));
  for (const line of kept) expect(lines).toContain(line);
  const missing = [...shown.matchAll(/shortened: (\d+) of (\d+) /g)].map(([, left, all]) => [
    Number(left),
    Number(all),
  ]);
  expect(missing.every(([, all]) => all === text.length)).toBe(true);
  // Every unit is shown or counted as missing.
  const left = missing.reduce((sum, [units]) => sum + units!, 0);
  const whole = shown.replaceAll(/\[… shortened: [^\n]*\n/g, '').length;
  expect(left + whole).toBe(text.length);
});

test('splits a result without line breaks into passages', () => {
  const text = `${'{"a":1},'.repeat(20_000)}{"pod":"api-7d9f8"},${'{"b":2},'.repeat(20_000)}`;
  const shown = excerpt(text, 4000, new Set(['api-7d9f8']));
  expect(shown).toContain('"pod":"api-7d9f8"');
  expect(shown.length).toBeLessThanOrEqual(4000);
});

test('splits no character', () => {
  const text = `${'a'.repeat(799)}🚨${'b'.repeat(2_000)}`;
  expect(excerpt(text, 1_500, new Set())).toMatch(/^a{799}\n\[… shortened/);
});

test('returns a short result unchanged', () => {
  expect(excerpt('a\nb', 3, new Set())).toBe('a\nb');
});

test('takes linear time for hostile texts', () => {
  const hostile = (size: number) => `a${'.'.repeat(size)}b 7${'-/'.repeat(size / 2)}`;
  expectLinear(hostile, (text) => excerpt(text, 1000, extractTerms(text)), 1_000_000);
});

test('gives cited results their share first, then the latest results', () => {
  const calls = [
    { number: 1, units: 100 },
    { number: 2, units: 50_000 },
    { number: 3, units: 50_000 },
    { number: 5, units: 0 },
    { number: 6, units: 9_000 },
    { number: 7, units: 200 },
  ];
  const shares = (cited: number[], budget: number) =>
    Object.fromEntries(allocateUnits(calls, new Set(cited), budget));
  expect(shares([3, 2, 1, 99], 20_100)).toEqual({ 1: 100, 2: 10_000, 3: 10_000 });
  expect(shares([1], 9_000)).toEqual({ 1: 100, 6: 8_000, 7: 200, 3: 700 });
  expect(shares([], 500)).toEqual({ 7: 200 });
  expect(shares([6, 7], 9_200)).toEqual({ 6: 9_000, 7: 200 }); // a small result leaves its rest to a larger one
});
