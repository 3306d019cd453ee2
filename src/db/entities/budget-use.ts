import { defineEntity, p } from '@mikro-orm/core';

/** What was used of a budget in a period: one row for each thing that it holds for. Added to with each call of a model. */
export const BudgetUse = defineEntity({
  name: 'BudgetUse',
  tableName: 'budget_uses',
  properties: {
    name: p.text().primary(), // of the budget in the configuration
    key: p.text().primary(), // alert type, team or source; '' of budgets of everything
    period: p.date().primary(), // its first day, in UTC
    per: p.text().primary(), // day or month: the first of a month is the first day of both
    usedUsd: p.double().$type<number>().default(0),
    usedTokens: p.bigint('number').default(0),
  },
});
