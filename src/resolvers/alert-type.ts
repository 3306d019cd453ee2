import { builder } from '../schema/builder.ts';
import { AlertType } from '../schema/types/alert-type.ts';

builder.queryField('alertTypes', (t) =>
  t.field({
    type: [AlertType],
    description: 'Configured alert types.',
    resolve: (_root, _args, { alertTypes }) => [...alertTypes],
  }),
);
