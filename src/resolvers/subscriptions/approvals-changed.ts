import { builder } from '../../schema/builder.ts';
import { ApprovalsChanged } from '../../schema/types/approval.ts';
import { StreamSource, seenBy } from './stream-source.ts';

builder.subscriptionField('approvalsChanged', (t) =>
  t.field({
    type: ApprovalsChanged,
    description:
      'An approval was requested or decided, or its call was made, from now on; told within about a second.',
    subscribe: (_root, _args, { engine, viewer }) =>
      new StreamSource(seenBy(viewer, engine.subscribeApprovals())),
    resolve: (approval) => approval,
  }),
);
