import { expect, test } from 'vitest';
import { knownWindow } from './catalogue.ts';
import { createPrices } from './prices.ts';

const TOKENS = {
  ...{ inputTokens: 100_000, cachedReadTokens: 50_000, cacheWriteTokens: 10_000 },
  ...{ outputTokens: 2000, thinkingTokens: 1000 },
};
const prices = createPrices({});

test.each([
  ['openai', 'gpt-6.1-terra', 40_000 * 1 + 50_000 * 0.05 + 10_000 * 1.25 + 3000 * 5],
  ['openai', 'gpt-6.2-astra', 40_000 * 8 + 50_000 * 0.4 + 10_000 * 10 + 3000 * 40],
  ['openai', 'gpt-6.1-sol', 40_000 * 2 + 50_000 * 0.1 + 10_000 * 2.5 + 3000 * 10],
  ['openai', 'gpt-6.2-sol-2026-11-01', 40_000 * 2 + 50_000 * 0.1 + 10_000 * 2.5 + 3000 * 10],
  ['anthropic', 'claude-sonnet-5-5', 40_000 * 2 + 50_000 * 0.1 + 10_000 * 2.5 + 3000 * 10],
  ['vertexai', 'claude-sonnet-5-5@20260928', 40_000 * 2 + 50_000 * 0.1 + 10_000 * 2.5 + 3000 * 10],
  ['anthropic', 'claude-haiku-5-5', 40_000 * 0.1 + 50_000 * 0.01 + 10_000 * 0.125 + 3000 * 0.5],
  ['google', 'gemini-4-hydrogen', 50_000 * 1.5 + 50_000 * 0.075 + 3000 * 7.5],
  ['google', 'gemini-4-argon', 50_000 * 4 + 50_000 * 0.2 + 3000 * 20],
  ['vertexai', 'gemini-4-neon', 50_000 * 3 + 50_000 * 0.15 + 3000 * 15],
  ['xai', 'grok-4.7', 50_000 * 2 + 50_000 * 0.5 + 3000 * 6],
])('prices %s %s', (provider, model, millionths) => {
  expect(prices({ provider, model }, TOKENS)).toBeCloseTo(millionths / 1e6, 12);
});

test.each([
  ['openai', 'gpt-6.1-sol', 240_000 * 4 + 50_000 * 0.2 + 10_000 * 5 + 3000 * 15],
  ['anthropic', 'claude-haiku-5-5', 240_000 * 0.5 + 50_000 * 0.05 + 10_000 * 0.625 + 3000 * 2.5],
])('prices long calls of %s %s by their tier', (provider, model, millionths) => {
  const long = { ...TOKENS, inputTokens: 300_000 };
  expect(prices({ provider, model }, long)).toBeCloseTo(millionths / 1e6, 12);
});

test.each([
  ['openai', 'gpt-5.6-sol'],
  ['openai', 'gpt-6-sol'],
  ['anthropic', 'claude-opus-5-5'],
  ['google', 'gemini-3.8-flash'],
])('knows the price of %s %s from the catalogue', (provider, model) => {
  expect(prices({ provider, model }, TOKENS)).toBeGreaterThan(0);
});

test('does not price the model of another provider, and prefers configured prices', () => {
  expect(prices({ provider: 'bedrock', model: 'claude-sonnet-5-5' }, TOKENS)).toBeNull();
  const own = createPrices({
    'grok-4.7': { input: 1, output: 1, cachedInput: null, cacheWrite: null, thinking: null, above: [] },
  });
  expect(own({ provider: 'xai', model: 'grok-4.7' }, TOKENS)).toBeCloseTo(0.103, 12);
});

test('knows the windows', () => {
  expect(knownWindow({ type: 'xai', model: 'grok-4.7', baseUrl: null })).toBe(500_000);
  expect(knownWindow({ type: 'xai', model: 'grok-4.7', baseUrl: 'http://127.0.0.1' })).not.toBe(500_000);
});
