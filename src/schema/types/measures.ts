import type { ObjectFieldBuilder } from '@pothos/core';
import { builder } from '../builder.ts';
import type { Loaders } from '../context.ts';
import type { CostValue, TokenCounts } from '../views.ts';

export const Cost = builder.objectRef<CostValue>('Cost').implement({
  description: 'What calls of models cost, by the prices of when they were made.',
  fields: (t) => ({
    usd: t.exposeFloat('usd', { description: 'USD, the sum of what is priced.' }),
    unpricedCalls: t.exposeInt('unpricedCalls', {
      description:
        'Calls whose model has no known price, or whose tokens are not known; their cost is not in usd.',
    }),
  }),
});

interface Kept {
  id: string;
  costUsd?: number | undefined;
  unpricedCalls?: number | null | undefined;
}

/** What is kept in a row; of what was stored before costs were, its calls are counted. */
export function costOf(
  { id, costUsd, unpricedCalls }: Kept,
  calls: Loaders['costOfSession'],
): CostValue | Promise<CostValue> {
  if (costUsd === undefined || unpricedCalls == null) return calls.load(id);
  return { usd: costUsd, unpricedCalls };
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

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;
interface Timed {
  startedAt?: Date | null | undefined;
  completedAt?: Date | null | undefined;
}

/** The field `durationMs`: time from start to end; a client counts the time of what still runs from startedAt. */
export function durationMs<Parent extends Timed>(t: ObjectFieldBuilder<Types, Parent>) {
  return t.int({
    nullable: true,
    description:
      'Milliseconds from startedAt to completedAt; null until then, so that a stored answer never goes stale.',
    resolve: ({ startedAt, completedAt }) =>
      // An Int ends at 2^31-1 ms, 24 days: a longer duration is shown as that.
      startedAt && completedAt ? Math.min(completedAt.getTime() - startedAt.getTime(), 2 ** 31 - 1) : null,
  });
}
