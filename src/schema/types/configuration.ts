import { builder } from '../builder.ts';
import { queryCost } from '../query-cost.ts';

builder.queryField('configuration', (t) =>
  t.field({
    type: 'JSON',
    extensions: queryCost({ own: 1_000 }),
    description:
      'Resolved configuration without secrets: each value with its origin, and how the current files and the running workers differ from it. docs/reference/api.md describes the format.',
    resolve: (_root, _args, { configuration }) => configuration(),
  }),
);
