import type { Usage } from '../store/stages-and-executions.ts';
import type { LlmResponse } from './collect-stream.ts';

/** Converts the usage of a response to its stored form; `null` if the provider reported no usage. */
export function usageOf(response: Partial<LlmResponse>): Usage | null {
  if (!response.usage) return null;
  const { cachedInputTokens: cachedReadTokens, costUsd = null, ...rest } = response.usage;
  return { ...rest, cachedReadTokens, costUsd };
}

/** Token counts of one model call. The cached tokens are parts of the input; the output excludes thinking. */
export type CallTokens = Omit<Usage, 'totalTokens' | 'costUsd' | 'budgets'>;
