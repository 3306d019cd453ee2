import { builder } from '../schema/builder.ts';
import { Runbook } from '../schema/types/runbook.ts';

builder.queryField('runbooks', (t) =>
  t.field({
    type: [Runbook],
    description:
      'The runbooks of the configured folder; empty when there is none, or when it cannot be read.',
    resolve: async (_root, _args, { engine }) => [...(await engine.listRunbooks())],
  }),
);
