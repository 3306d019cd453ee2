import { builder } from '../builder.ts';

/** The columns that sessions, executions and interactions share. */
export interface TokenCounts {
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  totalTokens: number;
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
  }),
});
