import type { UsageArgs } from '../args.ts';
import { builder } from '../builder.ts';
import { queryCost } from '../query-cost.ts';
import type { UsageFigures } from '../views.ts';
import { Cost, TokenUsage } from './measures.ts';
import { SessionRef } from './refs.ts';

const UsageRow = builder.objectRef<UsageFigures>('UsageRow').implement({
  description: 'What calls of models with something in common took.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'What they have in common; empty of the total.' }),
    sessions: t.exposeInt('sessions', { description: 'Sessions that they were made for.' }),
    calls: t.exposeInt('calls', { description: 'How many they are, failed ones too.' }),
    tokens: t.field({
      type: TokenUsage,
      description: 'Their tokens, as providers count them.',
      resolve: (row) => row,
    }),
    cost: t.field({ type: Cost, description: 'What they cost.', resolve: (row) => row }),
  }),
});

/** What was read at once, and what it was asked for. */
interface Summary {
  args: UsageArgs;
  total: UsageFigures;
  rows: UsageFigures[];
}

export const UsageSummary = builder.objectRef<Summary>('UsageSummary').implement({
  description: 'What models were used for in a period, as far as whoever asks may see the sessions.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'Calls since then.', resolve: ({ args }) => args.from }),
    to: t.field({ type: 'DateTime', description: 'Calls before then.', resolve: ({ args }) => args.to }),
    total: t.field({ type: UsageRow, description: 'All of them.', resolve: ({ total }) => total }),
    rows: t.field({
      type: [UsageRow],
      description: 'Dearest first; days in their order, those without a call left out.',
      resolve: ({ rows }) => rows,
    }),
    top: t.field({
      type: [SessionRef],
      extensions: queryCost({ own: 500 }),
      description: 'The sessions whose calls in the period cost most, at most 20, dearest first.',
      resolve: ({ args }, _args, { reads }) => reads.dearestSessions(args),
    }),
  }),
});
