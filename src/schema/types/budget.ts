import { builder } from '../builder.ts';
import type { BudgetStateView } from '../views.ts';

export const BudgetState = builder.objectRef<BudgetStateView>('BudgetState').implement({
  description: 'How a budget of the configuration stands now.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in the configuration.' }),
    scope: t.exposeString('scope', {
      description:
        'What it is for: `everything`, `team payments`, `alert type host`, `source prod`; of a budget of each session: the running one that used most.',
    }),
    limitUsd: t.exposeFloat('limitUsd', { nullable: true, description: 'USD; null: it has no such limit.' }),
    limitTokens: t.expose('limitTokens', {
      type: 'Long',
      nullable: true,
      description: 'Tokens; null: it has no such limit.',
    }),
    usedUsd: t.exposeFloat('usedUsd', { description: 'USD of calls whose price is known.' }),
    usedTokens: t.expose('usedTokens', { type: 'Long', description: 'Tokens of all kinds.' }),
    periodEndsAt: t.expose('periodEndsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it begins anew; null of sessions.',
    }),
    degradation: t.exposeString('degradation', {
      nullable: true,
      description:
        'The last of what is done above it: CHEAPER_MODEL, FEWER_ITERATIONS, CONCLUDE or QUEUE; null while below.',
    }),
  }),
});
