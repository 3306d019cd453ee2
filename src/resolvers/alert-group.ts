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
import { pageArgs } from '../schema/types/connection.ts';
import { AlertGroupRef } from '../schema/types/refs.ts';
import { changeVisible, requireIntake } from './mutation-support.ts';
import { StreamSource, seenBy } from './stream-source.ts';

const DECLARED = [NotFoundError, ConflictError, ShuttingDownError, TooManyAlertsError];

builder.queryField('alertGroups', (t) =>
  t.field({
    type: AlertGroupConnection,
    extensions: queryCost({ own: ({ filter }) => (isSearch(filter) ? SEARCH_COST : 10) }),
    description: 'Alert groups, most recently received first; without `first` and `last` the first 25.',
    args: {
      ...pageArgs(t.arg),
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
    resolve: (_root, { id }, context) =>
      changeVisible({ type: 'AlertGroup', id, loader: context.loaders.alertGroup }, DECLARED, (key) =>
        requireIntake(context).investigateGroup(key, context.viewer),
      ),
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
