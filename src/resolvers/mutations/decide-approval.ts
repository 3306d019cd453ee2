import { ConflictError, ForbiddenError, NotFoundError, ValidationError } from '../../common/errors.ts';
import { DecideApprovalInput } from '../../schema/approval-inputs.ts';
import { builder } from '../../schema/builder.ts';
import { keyOf } from '../../schema/ids.ts';
import { DecideApprovalResult } from '../../schema/types/approval.ts';
import { declared, orDeclared } from '../../schema/types/errors.ts';
import { seen } from './seen.ts';

builder.mutationField('decideApproval', (t) =>
  t.field({
    type: DecideApprovalResult,
    description: 'Approves or denies a call with exactly the arguments that argumentsHash names.',
    args: {
      input: t.arg({ type: DecideApprovalInput, required: true, description: 'What is decided.' }),
    },
    resolve: async (_root, { input }, { engine, loaders, viewer }) => {
      const key = await seen(keyOf('Approval', input.id), loaders.approval);
      if (key === null) return declared(new NotFoundError('There is no approval with this id.'));
      const { argumentsHash, approve, comment = null } = input;
      return orDeclared(engine.decideApproval(key, { argumentsHash, approve, comment }, viewer), [
        ValidationError,
        NotFoundError,
        ConflictError,
        ForbiddenError,
      ]);
    },
  }),
);
