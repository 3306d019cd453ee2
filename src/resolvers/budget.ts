import { builder } from '../schema/builder.ts';
import { queryCost } from '../schema/query-cost.ts';
import { BudgetState } from '../schema/types/budget.ts';

builder.queryField('budgets', (t) =>
  t.field({
    type: [BudgetState],
    extensions: queryCost({ own: 100 }),
    description:
      'Current state of the configured budgets. Viewers limited to teams see only budgets of their teams and none for alert types or sources.',
    resolve: (_root, _args, { reads, budgets }) => reads.budgets(budgets),
  }),
);
