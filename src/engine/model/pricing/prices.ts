import type { ModelPriceConfig, Named } from '../../../config/types.ts';
import type { LlmChunk } from '../chunks.ts';
import type { LlmClient, LlmSettings } from '../client.ts';
import { type CallTokens, catalogueUsd, recentModel } from './catalogue.ts';

/** Returns the price of a call (USD) made at a time, by default now; `null` if the price of its model is unknown. */
export type Prices = (
  llm: Pick<LlmSettings, 'provider' | 'model' | 'location'>,
  tokens: CallTokens,
  at?: Date,
) => number | null;

/** True for Anthropic's models on Vertex AI, which cost 10 percent more in each location except "global". */
function hasSurcharge({ provider, model, location }: Parameters<Prices>[0]): boolean {
  return provider === 'vertexai' && (location ?? 'global') !== 'global' && model.includes('claude');
}

/** Creates prices that prefer the configuration over the catalogue. The offline provider is free. */
export function createPrices(configured: Named<ModelPriceConfig>): Prices {
  return (llm, tokens, at = new Date()) => {
    const { provider, model } = llm;
    const own = Object.hasOwn(configured, model) ? configured[model] : undefined;
    if (own) return writtenUsd(own, tokens);
    if (provider === 'offline') return 0;
    const recent = recentModel(provider, model)?.price;
    const usd = recent ? writtenUsd(recent, tokens) : catalogueUsd(provider, model, tokens, at);
    return usd !== null && hasSurcharge(llm) ? usd * 1.1 : usd;
  };
}

/**
 * Returns a call's price by listed rates (USD). If the input exceeds a tier's start, the tier's rates hold
 * for the whole call.
 */
function writtenUsd({ above, ...base }: ModelPriceConfig, tokens: CallTokens): number {
  const tier = above
    .filter(({ inputTokens }) => tokens.inputTokens > inputTokens)
    .toSorted((a, b) => a.inputTokens - b.inputTokens)
    .at(-1);
  const { input, output, cachedInput, cacheWrite, thinking } = tier ?? base;
  const cached = tokens.cachedReadTokens;
  const written = Math.min(tokens.cacheWriteTokens, tokens.inputTokens - cached);
  const millionths =
    (tokens.inputTokens - cached - written) * input +
    cached * (cachedInput ?? input) +
    written * (cacheWrite ?? input) +
    tokens.outputTokens * output +
    tokens.thinkingTokens * (thinking ?? output);
  return millionths / 1_000_000;
}

/** Returns the client with the price added to the usage of each call. */
export function pricedClient(client: LlmClient, prices: Prices): LlmClient {
  return {
    ...client,
    async *generate(request, options): AsyncGenerator<LlmChunk> {
      for await (const chunk of client.generate(request, options))
        if (chunk.kind !== 'usage') yield chunk;
        else {
          const tokens = { ...chunk, cachedReadTokens: chunk.cachedInputTokens };
          yield { ...chunk, costUsd: prices(request.llm, tokens) };
        }
    },
  };
}
