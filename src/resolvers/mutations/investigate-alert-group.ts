import { ConflictError, NotFoundError, ShuttingDownError, TooManyAlertsError } from '../../common/errors.ts';
import { builder } from '../../schema/builder.ts';
import { keyOf } from '../../schema/ids.ts';
import { orDeclared } from '../../schema/types/errors.ts';
import { InvestigateAlertGroupResult } from '../../schema/types/intake-results.ts';
import { requireIntake } from './require-intake.ts';
import { seen } from './seen.ts';

const DECLARED = [NotFoundError, ConflictError, ShuttingDownError, TooManyAlertsError];

builder.mutationField('investigateAlertGroup', (t) =>
  t.field({
    type: InvestigateAlertGroupResult,
    description: 'Investigates a group now, whatever its rules say.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the group.' }) },
    resolve: async (_root, { id }, context) => {
      const key = await seen(keyOf('AlertGroup', id), context.loaders.alertGroup);
      if (key === null) return { declared: new NotFoundError('There is no group with this id.') };
      return orDeclared(requireIntake(context).investigateGroup(key, context.viewer), DECLARED);
    },
  }),
);
