import { builder, objectType } from '../builder.ts';
import { queryCost } from '../query-cost.ts';
import type { BudgetStateView } from '../views.ts';

const BudgetState = objectType<BudgetStateView>(
  'BudgetState',
  'Current state of a configured budget.',
  (t) => ({
    name: t.exposeString('name', { description: 'Name in the configuration.' }),
    scope: t.exposeString('scope', {
      description:
        'Subject of the budget: `everything`, `team payments`, `alert type host` or `source prod`. For a budget per session: the running session that used most.',
    }),
    limitUsd: t.exposeFloat('limitUsd', {
      nullable: true,
      description: 'Limit in USD; null if there is none.',
    }),
    limitTokens: t.expose('limitTokens', {
      type: 'Long',
      nullable: true,
      description: 'Limit in tokens; null if there is none.',
    }),
    usedUsd: t.exposeFloat('usedUsd', { description: 'USD of calls whose price is known.' }),
    usedTokens: t.expose('usedTokens', { type: 'Long', description: 'Tokens of all kinds.' }),
    periodEndsAt: t.expose('periodEndsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the budget resets; null for budgets per session.',
    }),
    degradation: t.exposeString('degradation', {
      nullable: true,
      description:
        'Strictest measure in force: CHEAPER_MODEL, FEWER_ITERATIONS, CONCLUDE or QUEUE; null while below the limit.',
    }),
  }),
);

builder.queryField('budgets', (t) =>
  t.field({
    type: [BudgetState],
    extensions: queryCost({ own: 100 }),
    description:
      'Current state of the configured budgets. Viewers limited to teams see only budgets of their teams and none for alert types or sources.',
    resolve: (_root, _args, { reads, budgets }) => reads.budgets(budgets),
  }),
);
