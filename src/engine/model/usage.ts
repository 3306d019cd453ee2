import type { Usage } from '../store/stages-and-executions.ts';
import type { LlmResponse } from './collect-stream.ts';

export function usageOf(response: Partial<LlmResponse>): Usage | null {
  if (!response.usage) return null;
  const { cachedInputTokens: cachedReadTokens, costUsd = null, ...rest } = response.usage;
  return { ...rest, cachedReadTokens, costUsd };
}

/** Tokens of one call of a model. */
export interface CallTokens {
  /** All that was read, from a cache or not. */
  inputTokens: number;
  /** Without thinking. */
  outputTokens: number;
  thinkingTokens: number;
  /** Of the input. */
  cachedReadTokens: number;
  /** Of the input. */
  cacheWriteTokens: number;
}
