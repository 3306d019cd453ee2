import { builder } from '../../schema/builder.ts';
import { AlertGroupsChanged } from '../../schema/types/alert-group.ts';
import { requireIntake } from '../mutations/require-intake.ts';
import { StreamSource, seenBy } from './stream-source.ts';

builder.subscriptionField('alertGroupsChanged', (t) =>
  t.field({
    type: AlertGroupsChanged,
    description:
      'A group was opened, joined, resolved or decided on, from now on; told within about a second.',
    subscribe: (_root, _args, context) =>
      new StreamSource(seenBy(context.viewer, requireIntake(context).subscribeGroups())),
    resolve: (group) => group,
  }),
);
