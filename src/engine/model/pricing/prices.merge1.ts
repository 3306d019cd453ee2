import type { LlmChunk } from '../chunks.ts';
import type { LlmClient, LlmSettings } from '../client.ts';
import type { Prices } from './prices.ts';

/** The client, telling with the tokens of each call what they cost. */
export function pricedClient(client: LlmClient, prices: Prices): LlmClient {
  return {
    ...client,
    async *generate(request, options): AsyncGenerator<LlmChunk> {
      for await (const chunk of client.generate(request, options))
        yield chunk.kind === 'usage' ? { ...chunk, costUsd: costOf(prices, request.llm, chunk) } : chunk;
    },
  };
}

function costOf(
  prices: Prices,
  llm: LlmSettings,
  usage: Extract<LlmChunk, { kind: 'usage' }>,
): number | null {
  return prices(llm, { ...usage, cachedReadTokens: usage.cachedInputTokens });
}
