import { builder } from '../builder.ts';

/** The columns that sessions, executions and interactions share. */
export interface TokenCounts {
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  totalTokens: number;
}

export const TokenUsage = builder.objectRef<TokenCounts>('TokenUsage').implement({
  fields: (t) => ({
    inputTokens: t.expose('inputTokens', { type: 'Long' }),
    outputTokens: t.expose('outputTokens', { type: 'Long' }),
    thinkingTokens: t.expose('thinkingTokens', { type: 'Long' }),
    totalTokens: t.expose('totalTokens', { type: 'Long' }),
  }),
});
