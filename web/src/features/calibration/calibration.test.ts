import { expect, test } from 'vitest';
import { accuracyOf, baseScore, formatCalibration, parseCalibration, sinceOf } from './calibration.ts';

const of = (address: string) => parseCalibration(new URLSearchParams(address));

test('a view round-trips through its address, and invalid values are ignored', () => {
  for (const address of ['', 'within=90d', 'within=30d&type=a+b&chain=c'])
    expect(formatCalibration(of(address))).toBe(address);
  expect(of('within=toString&type=a')).toEqual({ span: null, chosen: null });
});

test('the start of the span is stable within an hour', () => {
  const now = Date.UTC(2026, 10, 23, 10, 59);
  expect(sinceOf(of('within=30d'), now)).toBe('2026-10-24T10:00:00.000Z');
  expect(sinceOf(of('within=30d'), now - 59 * 60_000)).toBe('2026-10-24T10:00:00.000Z');
  expect(sinceOf(of(''), now)).toBeNull();
});

test('computes the accuracy and the Brier score of always stating it', () => {
  const counts = { reviewed: 10, accurate: 7, partiallyAccurate: 2 };
  expect(accuracyOf(counts)).toBeCloseTo(0.8);
  // Variance of the ratings 1 (seven times), 0.5 (twice) and 0 (once).
  expect(baseScore(counts)).toBeCloseTo((7 * 0.04 + 2 * 0.09 + 0.64) / 10);
  expect([accuracyOf({ ...counts, reviewed: 0 }), baseScore({ ...counts, reviewed: 0 })]).toEqual([
    null,
    null,
  ]);
});
