import { builder } from '../builder.ts';
import type { CostLoaders, CostValue } from '../usage-context.ts';

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
  calls: CostLoaders['costOfSession'],
): CostValue | Promise<CostValue> {
  if (costUsd === undefined || unpricedCalls == null) return calls.load(id);
  return { usd: costUsd, unpricedCalls };
}
