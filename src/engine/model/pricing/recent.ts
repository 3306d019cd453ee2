import type { LlmProviderType } from '../../../config/enums.ts';
import type { ModelPriceConfig } from '../../../config/types.ts';

/** A model that is newer than the bundled catalogue. */
interface RecentModel {
  types: readonly LlmProviderType[];
  /** The context window (tokens). */
  window: number;
  /** USD per million tokens, from the provider's price list. */
  price: ModelPriceConfig;
}

const GPT_6_SOL: RecentModel = {
  types: ['openai'],
  window: 1_050_000,
  price: {
    ...{ input: 2, output: 10, cachedInput: 0.1, cacheWrite: 2.5, thinking: null },
    above: [{ inputTokens: 272_000, input: 4, output: 15, cachedInput: 0.2, cacheWrite: 5, thinking: null }],
  },
};

/**
 * Models that are newer than the bundled catalogue, by name. Remove a model as soon as the catalogue has it.
 */
export const RECENT_MODELS: Readonly<Record<string, RecentModel>> = {
  'gpt-6.1-sol': GPT_6_SOL,
  'gpt-6.2-sol': GPT_6_SOL,
  'claude-sonnet-5-5': {
    types: ['anthropic', 'vertexai'],
    window: 1_000_000,
    price: { input: 2, output: 10, cachedInput: 0.2, cacheWrite: 2.5, thinking: null, above: [] },
  },
  'grok-4.7': {
    types: ['xai'],
    window: 500_000,
    price: {
      ...{ input: 2, output: 6, cachedInput: 0.5, cacheWrite: null, thinking: null },
      above: [
        { inputTokens: 199_999, input: 4, output: 12, cachedInput: 1, cacheWrite: null, thinking: null },
      ],
    },
  },
};
