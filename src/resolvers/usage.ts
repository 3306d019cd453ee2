import { builder } from '../schema/builder.ts';
import { UsageDimensionEnum } from '../schema/enums.ts';
import { queryCost } from '../schema/query-cost.ts';
import { SessionFilter } from '../schema/types/session-list.ts';
import { UsageSummary } from '../schema/types/usage.ts';

builder.queryField('usage', (t) =>
  t.field({
    type: UsageSummary,
    extensions: queryCost({ own: 1000 }), // it goes over all calls of the period
    description: 'What models were used for in a period of at most 400 days, and what that cost.',
    args: {
      from: t.arg({ type: 'DateTime', required: true, description: 'Calls since then.' }),
      to: t.arg({ type: 'DateTime', required: true, description: 'Calls before then.' }),
      by: t.arg({ type: UsageDimensionEnum, required: true, description: 'What the rows are made by.' }),
      filter: t.arg({ type: SessionFilter, description: 'Of these sessions only. Null: of all.' }),
    },
    resolve: async (_root, args, { reads }) => ({ args, ...(await reads.usage(args)) }),
  }),
);
