import { builder } from '../schema/builder.ts';
import { Runbook } from '../schema/types/runbook.ts';

builder.queryField('runbooks', (t) =>
  t.field({
    type: [Runbook],
    description: 'Runbooks of the configured folder; empty if there is none or it cannot be read.',
    resolve: async (_root, _args, { engine }) => [...(await engine.listRunbooks())],
  }),
);
