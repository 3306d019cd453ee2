import { builder } from '../schema/builder.ts';
import { SystemWarning } from '../schema/types/system-warning.ts';

builder.queryField('systemWarnings', (t) =>
  t.field({
    type: [SystemWarning],
    description: 'Active warnings, oldest first; the same from every process.',
    resolve: (_root, _args, { reads }) => reads.systemWarnings(),
  }),
);
