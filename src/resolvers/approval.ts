import { ConflictError, ForbiddenError, NotFoundError, ValidationError } from '../common/errors.ts';
import { builder } from '../schema/builder.ts';
import { queryCost } from '../schema/query-cost.ts';
import {
  ApprovalRef,
  ApprovalsChanged,
  DecideApprovalInput,
  DecideApprovalResult,
} from '../schema/types/approval.ts';
import { changeVisible } from './mutation-support.ts';
import { StreamSource, seenBy } from './stream-source.ts';

const DECLARED = [ValidationError, NotFoundError, ConflictError, ForbiddenError];

builder.queryField('pendingApprovals', (t) =>
  t.field({
    type: [ApprovalRef],
    extensions: queryCost({ own: 20 }),
    description: 'Tool calls that wait for approval, oldest first; at most 200.',
    resolve: (_root, _args, { reads }) => reads.pendingApprovals(),
  }),
);

builder.mutationField('decideApproval', (t) =>
  t.field({
    type: DecideApprovalResult,
    description: 'Approves or denies a call with exactly the arguments that argumentsHash names.',
    args: {
      input: t.arg({ type: DecideApprovalInput, required: true, description: 'The decision.' }),
    },
    resolve: (_root, { input }, { engine, loaders, viewer }) => {
      const { id, argumentsHash, approve, comment = null } = input;
      return changeVisible({ type: 'Approval', id, loader: loaders.approval }, DECLARED, (key) =>
        engine.decideApproval(key, { argumentsHash, approve, comment }, viewer),
      );
    },
  }),
);

builder.subscriptionField('approvalsChanged', (t) =>
  t.field({
    type: ApprovalsChanged,
    description:
      'Reports each approval that is requested, decided or executed from now on, within about a second.',
    subscribe: (_root, _args, { engine, viewer }) =>
      new StreamSource(seenBy(viewer, engine.subscribeApprovals())),
    resolve: (approval) => approval,
  }),
);
