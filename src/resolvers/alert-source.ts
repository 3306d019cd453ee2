import { builder } from '../schema/builder.ts';
import { queryCost } from '../schema/query-cost.ts';
import { AlertSource } from '../schema/types/alert-source.ts';

builder.queryField('alertSources', (t) =>
  t.field({
    type: [AlertSource],
    extensions: queryCost({ own: 50 }),
    description: 'Configured monitoring systems, in configuration order.',
    resolve: async (_root, _args, { intake, reads }) => {
      const counted = new Map((await reads.sourceCounts()).map((counts) => [counts.source, counts]));
      const canaries = (await intake?.canaries.states()) ?? [];
      return (intake?.sources ?? []).map((source) => {
        const { lastReceivedAt = null, received = 0, rejected = 0 } = counted.get(source.name) ?? {};
        const own = canaries.filter((canary) => canary.source === source.name);
        const canary = own.find(({ healthy }) => !healthy) ?? own[0] ?? null;
        return { ...source, lastReceivedAt, received, rejected, canary };
      });
    },
  }),
);
