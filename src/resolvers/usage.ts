import { builder } from '../schema/builder.ts';
import { UsageDimensionEnum } from '../schema/enums.ts';
import { queryCost } from '../schema/query-cost.ts';
import { SessionFilter } from '../schema/types/session-list.ts';
import { UsageSummary } from '../schema/types/usage.ts';

builder.queryField('usage', (t) =>
  t.field({
    type: UsageSummary,
    extensions: queryCost({ own: 1000 }), // reads all calls of the period
    description: 'Model usage and its cost in a period of at most 400 days.',
    args: {
      from: t.arg({ type: 'DateTime', required: true, description: 'Start of the period, inclusive.' }),
      to: t.arg({ type: 'DateTime', required: true, description: 'End of the period, exclusive.' }),
      by: t.arg({ type: UsageDimensionEnum, required: true, description: 'Property that groups the rows.' }),
      filter: t.arg({ type: SessionFilter, description: 'Only these sessions. Null for all.' }),
    },
    resolve: async (_root, args, { reads }) => ({ args, ...(await reads.usage(args)) }),
  }),
);
