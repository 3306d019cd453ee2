import { builder } from '../../schema/builder.ts';
import { costs } from '../../schema/cost.ts';
import { BudgetState } from '../../schema/types/budget-state.ts';

builder.queryField('budgets', (t) =>
  t.field({
    type: [BudgetState],
    extensions: costs(100),
    description:
      'How the budgets of the configuration stand, those of teams as far as whoever asks may see them.',
    resolve: (_root, _args, { reads, budgets }) => reads.budgets(budgets),
  }),
);
