import { expect, test } from 'vitest';
import { formatCost, formatUsd, unpricedText } from './cost.ts';

test.each([
  [0, '$0'],
  [0.00002, '< $0.0001'],
  [0.0042, '$0.0042'],
  [0.01234, '$0.012'],
  [0.35, '$0.35'],
  [12.4, '$12.40'],
  [999.4, '$999.40'],
  [1204.4, '$1,204'],
])('formats %f as %s', (usd, text) => {
  expect(formatUsd(usd)).toBe(text);
});

test('marks unknown prices', () => {
  expect(formatCost({ usd: 0.35, unpricedCalls: 0 })).toBe('$0.35');
  expect(formatCost({ usd: 0.35, unpricedCalls: 2 })).toBe('$0.35 + ?');
  expect(formatCost({ usd: 0, unpricedCalls: 1 })).toBe('unknown');
  expect(unpricedText({ usd: 0, unpricedCalls: 0 })).toBeNull();
  expect(unpricedText({ usd: 0, unpricedCalls: 1 })).toBe('Price unknown for 1 call');
  expect(unpricedText({ usd: 0, unpricedCalls: 1200 })).toBe('Price unknown for 1,200 calls');
});
