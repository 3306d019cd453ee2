import { builder } from '../schema/builder.ts';
import { queryCost } from '../schema/query-cost.ts';
import { BudgetState } from '../schema/types/budget.ts';

builder.queryField('budgets', (t) =>
  t.field({
    type: [BudgetState],
    extensions: queryCost({ own: 100 }),
    description:
      'How the budgets of the configuration stand. Who does not see every team is told of those of teams they see, and of none for alert types or sources.',
    resolve: (_root, _args, { reads, budgets }) => reads.budgets(budgets),
  }),
);
