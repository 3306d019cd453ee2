import { builder } from '../schema/builder.ts';
import { Viewer } from '../schema/types/viewer.ts';

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'Sender of this request.',
    resolve: (_root, _args, { viewer }) => viewer,
  }),
);
