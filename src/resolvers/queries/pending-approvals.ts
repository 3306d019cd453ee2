import { builder } from '../../schema/builder.ts';
import { costs } from '../../schema/cost.ts';
import { ApprovalRef } from '../../schema/types/approval.ts';

builder.queryField('pendingApprovals', (t) =>
  t.field({
    type: [ApprovalRef],
    extensions: costs(20),
    description: 'Those that wait for people, oldest first; at most 200.',
    resolve: (_root, _args, { reads }) => reads.pendingApprovals(),
  }),
);
