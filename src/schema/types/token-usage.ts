import { builder } from '../builder.ts';

/** The columns that sessions, executions and interactions share. */
export interface TokenCounts {
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  totalTokens: number;
  cachedReadTokens: number;
  cacheWriteTokens: number;
}

export const TokenUsage = builder.objectRef<TokenCounts>('TokenUsage').implement({
  description: 'Tokens of models, as their providers count them.',
  fields: (t) => ({
    inputTokens: t.expose('inputTokens', { type: 'Long', description: 'Tokens sent.' }),
    outputTokens: t.expose('outputTokens', { type: 'Long', description: 'Tokens of answers.' }),
    thinkingTokens: t.expose('thinkingTokens', {
      type: 'Long',
      description: 'Tokens of thinking, where the provider counts them apart.',
    }),
    totalTokens: t.expose('totalTokens', {
      type: 'Long',
      description: 'The total as the provider gives it.',
    }),
    cachedReadTokens: t.expose('cachedReadTokens', {
      type: 'Long',
      description: 'Of inputTokens, those that the provider read from its cache.',
    }),
    cacheWriteTokens: t.expose('cacheWriteTokens', {
      type: 'Long',
      description: 'Of inputTokens, those that were written to its cache, where that is billed apart.',
    }),
  }),
});
