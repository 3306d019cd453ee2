import { expect, test } from 'vitest';
import { loadText } from '../../../../test/fixtures/config/load-text.ts';
import { billed, RECORDED } from '../../../../test/fixtures/recorded-usage.ts';
import { createPrices } from './prices.ts';

const TOKENS = {
  ...{ inputTokens: 1_000_000, cachedReadTokens: 200_000, cacheWriteTokens: 100_000 },
  ...{ outputTokens: 10_000, thinkingTokens: 5_000 },
};
const known = createPrices({});
/** A day on which the catalogue's prices are known. */
const TODAY = new Date('2026-11-23T12:00:00Z');

test('prices recorded usages as calculated by hand', () => {
  expect(RECORDED.length).toBeGreaterThanOrEqual(30);
  for (const recorded of RECORDED) {
    const { provider, model, tokens } = recorded;
    expect(known({ provider, model }, tokens, TODAY), `${provider} ${model}`).toBeCloseTo(
      billed(recorded),
      12,
    );
  }
});

test.each([
  ['anthropic', 'claude-sonnet-5.9'], // only its prefix claude-sonnet-5 has a price
  ['anthropic', 'claude-sonnet-5-mini'],
  ['openai', 'gpt-6.9-sol'],
  ['openai', 'gpt-5.2-turbo'],
  ['google', 'gemini-3.7-flash-ultra'],
  ['google', 'gemini-pro-latest'], // not Gemini 1.0 Pro, which the catalogue calls gemini-pro
  ['openai', 'claude-sonnet-5'], // a model of another provider
  ['xai', 'toString'],
  ['mystery', 'gpt-5.2'],
  ['azure', 'our-deployment'],
  ['openai', 'text-embedding-3-small'], // the catalogue has no price of its output
])('%s has no price for %s', (provider, model) => {
  expect(known({ provider, model }, TOKENS, TODAY)).toBeNull();
});

test('applies a price from its first day', () => {
  const o3 = { provider: 'openai', model: 'o3' };
  const tokens = { ...TOKENS, cachedReadTokens: 0, cacheWriteTokens: 0 };
  expect(known(o3, tokens, new Date('2025-06-01'))).toBeCloseTo(10 + 0.6, 12);
  expect(known(o3, tokens, TODAY)).toBeCloseTo(2 + 0.12, 12);
});

test('adds the surcharge of Claude in regions of Vertex AI, but not to configured prices', () => {
  const tokens = { ...TOKENS, inputTokens: 9000, cachedReadTokens: 4000, cacheWriteTokens: 0 };
  const usd = (model: string, location?: string | null, prices = known) =>
    prices({ provider: 'vertexai', model, location }, tokens, TODAY);
  const listed = (5000 * 4 + 4000 * 0.2 + 15_000 * 20) / 1e6;
  expect(usd('claude-opus-5-5')).toBeCloseTo(listed, 12);
  expect(usd('claude-opus-5-5', null)).toBeCloseTo(listed, 12);
  expect(usd('claude-opus-5-5', 'global')).toBeCloseTo(listed, 12);
  expect(usd('claude-opus-5-5', 'europe-west1')).toBeCloseTo(1.1 * listed, 12);
  expect(usd('claude-opus-5-5', 'eu')).toBeCloseTo(1.1 * listed, 12);
  expect(usd('gemini-2.5-pro', 'eu')).toBe(usd('gemini-2.5-pro'));
  expect(usd('gemini-2.5-pro', 'eu')).not.toBeNull();
  expect(usd('our-deployment', 'eu')).toBeNull();
  const own = { input: 1, output: 1, cachedInput: null, cacheWrite: null, thinking: null, above: [] };
  expect(usd('own', 'eu', createPrices({ own }))).toBeCloseTo(0.024, 12);
});

test('tolerates impossible token counts', () => {
  const tokens = { ...TOKENS, inputTokens: 1000, cachedReadTokens: 900, cacheWriteTokens: 5000 };
  const usd = known({ provider: 'anthropic', model: 'claude-sonnet-5' }, tokens, TODAY);
  expect(usd).toBeCloseTo((900 * 0.2 + 100 * 2.5 + 15_000 * 10) / 1e6, 12);
  const listed = { input: 1, output: 10, cachedInput: 0.2, cacheWrite: 2.5, thinking: null, above: [] };
  const own = createPrices({ own: listed })({ provider: 'openai', model: 'own' }, tokens);
  expect(own).toBeCloseTo((900 * 0.2 + 100 * 2.5 + 15_000 * 10) / 1e6, 12);
});

test('prefers configured prices, with their defaults and tiers', async () => {
  const config = await loadText(`
model_prices:
  gpt-5.2: { input: 1, output: 4 }
  our-org/llama-4:70b:
    input: 1
    output: 4
    cached_input: 0.5
    cache_write: 2
    thinking: 8
    above:
      - { input_tokens: 999999, input: 3, output: 5 }
      - { input_tokens: 500000, input: 2, output: 4 }
`);
  const prices = createPrices(config.modelPrices);
  const usd = (model: string, tokens = TOKENS) => prices({ provider: 'openai', model }, tokens);
  expect(usd('gpt-5.2')).toBeCloseTo(1 + 0.06, 12);
  const llama = 'our-org/llama-4:70b';
  expect(usd(llama)).toBeCloseTo(3 + 0.075, 12);
  expect(usd(llama, { ...TOKENS, inputTokens: 500_001 })).toBeCloseTo((500_001 * 2 + 15_000 * 4) / 1e6, 12);
  expect(usd(llama, { ...TOKENS, inputTokens: 500_000 })).toBeCloseTo(
    (200_000 * 1 + 200_000 * 0.5 + 100_000 * 2 + 10_000 * 4 + 5000 * 8) / 1e6,
    12,
  );
});

test.each([
  ['{ m: { input: -1, output: 1 } }', 'input'],
  ['{ m: { input: 1 } }', 'output'],
  ['{ "two words": { input: 1, output: 1 } }', 'model'],
  ['{ m: { input: 1, output: 1, price: 3 } }', 'price'],
])('refuses %s', async (written, word) => {
  await expect(loadText(`model_prices: ${written}`)).rejects.toThrow(word);
});
