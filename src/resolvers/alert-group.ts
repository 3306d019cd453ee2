import { ConflictError, NotFoundError, ShuttingDownError, TooManyAlertsError } from '../common/errors.ts';
import { builder } from '../schema/builder.ts';
import { keyOf } from '../schema/ids.ts';
import { isSearch, queryCost, SEARCH_COST } from '../schema/query-cost.ts';
import {
  AlertGroupConnection,
  AlertGroupFilter,
  AlertGroupsChanged,
  InvestigateAlertGroupResult,
} from '../schema/types/alert-group.ts';
import { orDeclared } from '../schema/types/errors.ts';
import { AlertGroupRef } from '../schema/types/refs.ts';
import { requireIntake, seen } from './mutation-support.ts';
import { StreamSource, seenBy } from './stream-source.ts';

const FIRST = 'Number of items from the start, or after `after`: 1–100.';
const AFTER = 'Cursor after which the page begins.';

const DECLARED = [NotFoundError, ConflictError, ShuttingDownError, TooManyAlertsError];

builder.queryField('alertGroups', (t) =>
  t.field({
    type: AlertGroupConnection,
    extensions: queryCost({ own: ({ filter }) => (isSearch(filter) ? SEARCH_COST : 10) }),
    description: 'Alert groups, most recently received first; without `first` and `last` the first 25.',
    args: {
      first: t.arg.int({ description: FIRST }),
      after: t.arg.string({ description: AFTER }),
      last: t.arg.int({ description: 'Number of items from the end, or before `before`: 1–100.' }),
      before: t.arg.string({ description: 'Cursor before which the page ends.' }),
      filter: t.arg({ type: AlertGroupFilter, description: 'Null for all groups.' }),
    },
    resolve: (_root, args, { reads }) => reads.alertGroups(args),
  }),
);

builder.queryField('alertGroup', (t) =>
  t.field({
    type: AlertGroupRef,
    nullable: true,
    description: 'One group; null if there is none with this id.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID.' }) },
    resolve: (_root, { id }, { loaders }) => {
      const key = keyOf('AlertGroup', id);
      return key === null ? null : loaders.alertGroup.load(key);
    },
  }),
);

builder.mutationField('investigateAlertGroup', (t) =>
  t.field({
    type: InvestigateAlertGroupResult,
    description: 'Investigates a group now, regardless of its rules.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the group.' }) },
    resolve: async (_root, { id }, context) => {
      const key = await seen(keyOf('AlertGroup', id), context.loaders.alertGroup);
      if (key === null) return { declared: new NotFoundError('There is no group with this id.') };
      return orDeclared(requireIntake(context).investigateGroup(key, context.viewer), DECLARED);
    },
  }),
);

builder.subscriptionField('alertGroupsChanged', (t) =>
  t.field({
    type: AlertGroupsChanged,
    description:
      'Reports each group that is opened, joined, resolved or decided on from now on, within about a second.',
    subscribe: (_root, _args, context) =>
      new StreamSource(seenBy(context.viewer, requireIntake(context).subscribeGroups())),
    resolve: (group) => group,
  }),
);
