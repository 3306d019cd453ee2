import { defineEntity, p } from '@mikro-orm/core';

/** The use of a budget in a period, one row per alert type, team or source. Each model call adds to the rows. */
export const BudgetUse = defineEntity({
  name: 'BudgetUse',
  tableName: 'budget_uses',
  properties: {
    name: p.text().primary(), // name of the configured budget
    key: p.text().primary(), // alert type, team or source; '' for a global budget
    period: p.date().primary(), // first day of the period (UTC)
    per: p.text().primary(), // `day` or `month`: part of the key, because both periods can start on the same date
    usedUsd: p.double().$type<number>().default(0),
    usedTokens: p.bigint('number').default(0),
  },
});
