import type { UsageArgs } from '../args.ts';
import { builder, objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import type { UsageFigures } from '../views.ts';
import { Cost, TokenUsage } from './measures.ts';
import { SessionRef } from './refs.ts';
import { SessionFilter } from './session-list.ts';

const UsageRow = objectType<UsageFigures>('UsageRow', 'Usage of a group of model calls.', (t) => ({
  key: t.exposeString('key', { description: 'Common value of the group; empty for the total.' }),
  sessions: t.exposeInt('sessions', { description: 'Number of sessions.' }),
  calls: t.exposeInt('calls', { description: 'Number of calls, including failed ones.' }),
  tokens: t.field({
    type: TokenUsage,
    description: 'Tokens as counted by the providers.',
    resolve: (row) => row,
  }),
  cost: t.field({ type: Cost, description: 'Cost of the calls.', resolve: (row) => row }),
}));

interface Summary {
  args: UsageArgs;
  total: UsageFigures;
  rows: UsageFigures[];
}

const UsageSummary = objectType<Summary>(
  'UsageSummary',
  'Model usage in a period, limited to sessions that the viewer may see.',
  (t) => ({
    from: t.field({
      type: 'DateTime',
      description: 'Start of the period, inclusive.',
      resolve: ({ args }) => args.from,
    }),
    to: t.field({
      type: 'DateTime',
      description: 'End of the period, exclusive.',
      resolve: ({ args }) => args.to,
    }),
    total: t.expose('total', { type: UsageRow, description: 'Total of all rows.' }),
    rows: t.expose('rows', {
      type: [UsageRow],
      description: 'Most expensive first; days in order, without empty days.',
    }),
    top: t.field({
      type: [SessionRef],
      extensions: queryCost({ own: 500 }),
      description: 'Sessions with the highest cost in the period, most expensive first; at most 20.',
      resolve: ({ args }, _args, { reads }) => reads.mostExpensiveSessions(args),
    }),
  }),
);

builder.queryField('usage', (t) =>
  t.field({
    type: UsageSummary,
    extensions: queryCost({ own: 1000 }), // reads all calls of the period
    description: 'Model usage and its cost in a period of at most 400 days.',
    args: {
      from: t.arg({ type: 'DateTime', required: true, description: 'Start of the period, inclusive.' }),
      to: t.arg({ type: 'DateTime', required: true, description: 'End of the period, exclusive.' }),
      by: t.arg({
        type: enums.UsageDimension,
        required: true,
        description: 'Property that groups the rows.',
      }),
      filter: t.arg({ type: SessionFilter, description: 'Only these sessions. Null for all.' }),
    },
    resolve: async (_root, args, { reads }) => ({ args, ...(await reads.usage(args)) }),
  }),
);
