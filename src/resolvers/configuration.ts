import { builder } from '../schema/builder.ts';
import { queryCost } from '../schema/query-cost.ts';

builder.queryField('configuration', (t) =>
  t.field({
    type: 'JSON',
    extensions: queryCost({ own: 1_000 }),
    description:
      'The resolved configuration without anything secret: each value with where it comes from, and how the files as they are now and the running workers differ from it. docs/api.md says its form.',
    resolve: (_root, _args, { configuration }) => configuration(),
  }),
);
