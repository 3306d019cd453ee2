import type { ObjectFieldBuilder } from '@pothos/core';
import { objectType, type Types } from '../builder.ts';
import type { Loaders } from '../context.ts';
import type { CostValue, TokenCounts } from '../views.ts';

export const Cost = objectType<CostValue>(
  'Cost',
  'Cost of model calls, at the prices of the time of the call.',
  (t) => ({
    usd: t.exposeFloat('usd', { description: 'Sum of the priced calls, in USD.' }),
    unpricedCalls: t.exposeInt('unpricedCalls', {
      description: 'Calls with unknown price or unknown tokens; their cost is not in usd.',
    }),
  }),
);

interface Kept {
  id: string;
  costUsd?: number | undefined;
  unpricedCalls?: number | null | undefined;
}

/** Returns the stored cost of a row. For older rows without one, returns the sum of their model calls. */
export function costOf(
  { id, costUsd, unpricedCalls }: Kept,
  calls: Loaders['costOfSession'],
): CostValue | Promise<CostValue> {
  if (costUsd === undefined || unpricedCalls == null) return calls.load(id);
  return { usd: costUsd, unpricedCalls };
}

export const TokenUsage = objectType<TokenCounts>(
  'TokenUsage',
  'Token counts as reported by the providers.',
  (t) => ({
    inputTokens: t.expose('inputTokens', { type: 'Long', description: 'Tokens sent to the model.' }),
    outputTokens: t.expose('outputTokens', { type: 'Long', description: 'Tokens of the answers.' }),
    thinkingTokens: t.expose('thinkingTokens', {
      type: 'Long',
      description: 'Thinking tokens, if the provider counts them separately.',
    }),
    totalTokens: t.expose('totalTokens', { type: 'Long', description: 'Total as reported by the provider.' }),
    cachedReadTokens: t.expose('cachedReadTokens', {
      type: 'Long',
      description: 'Part of inputTokens that the provider read from its cache.',
    }),
    cacheWriteTokens: t.expose('cacheWriteTokens', {
      type: 'Long',
      description: 'Part of inputTokens written to the provider’s cache, if billed separately.',
    }),
  }),
);

type Fields<Parent> = ObjectFieldBuilder<Types, Parent>;

/** Defines the shared GraphQL field `errorMessage`: why a session or similar work failed; null if it did not. */
export const errorMessage = <Parent extends { errorMessage?: string | null | undefined }>(
  t: Fields<Parent>,
) =>
  t.string({
    nullable: true,
    description: 'Reason for the failure, for people; null if it did not fail.',
    resolve: ({ errorMessage }) => errorMessage,
  });

/** Defines the shared GraphQL field `completedAt`: when a session, stage, execution or score ended; null until then. */
export const completedAt = <Parent extends { completedAt?: Date | null | undefined }>(t: Fields<Parent>) =>
  t.field({
    type: 'DateTime',
    nullable: true,
    description: 'End time, whatever the outcome; null until then.',
    resolve: ({ completedAt }) => completedAt,
  });

interface Timed {
  startedAt?: Date | null | undefined;
  completedAt?: Date | null | undefined;
}

/** Defines the shared GraphQL field `durationMs`. Clients compute the duration of running work from startedAt. */
export function durationMs<Parent extends Timed>(t: Fields<Parent>) {
  return t.int({
    nullable: true,
    description:
      'Milliseconds from startedAt to completedAt; null until then, so that a stored answer never goes stale.',
    resolve: ({ startedAt, completedAt }) =>
      // Limited to the largest GraphQL Int, 2^31-1 ms (24 days).
      startedAt && completedAt ? Math.min(completedAt.getTime() - startedAt.getTime(), 2 ** 31 - 1) : null,
  });
}
