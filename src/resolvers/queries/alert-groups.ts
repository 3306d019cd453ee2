import { builder } from '../../schema/builder.ts';
import { costs } from '../../schema/cost.ts';
import { IntakeOutcomeEnum } from '../../schema/enums.ts';
import { keyOf } from '../../schema/ids.ts';
import { AlertGroupFilter } from '../../schema/intake-inputs.ts';
import { AlertGroupConnection } from '../../schema/types/alert-group.ts';
import { IntakeDecisionConnection } from '../../schema/types/intake-decision.ts';
import { AlertGroupRef } from '../../schema/types/intake-refs.ts';
import { SilenceConnection } from '../../schema/types/silence.ts';

const FIRST = 'So many from the start, or after `after`: 1 to 100.';
const AFTER = 'Cursor after which the page begins.';

/** As a part of what a document may cost: a search reads the labels of all alerts. */
const SEARCH_COST = 9_000;

builder.queryField('alertGroups', (t) =>
  t.field({
    type: AlertGroupConnection,
    extensions: costs(({ filter }) =>
      typeof filter === 'object' && filter !== null && 'search' in filter && filter.search != null
        ? SEARCH_COST
        : 10,
    ),
    description:
      'Groups of alerts of monitoring systems, told of last first; without both `first` and `last` the first 25.',
    args: {
      first: t.arg.int({ description: FIRST }),
      after: t.arg.string({ description: AFTER }),
      last: t.arg.int({ description: 'So many from the end, or before `before`: 1 to 100.' }),
      before: t.arg.string({ description: 'Cursor before which the page ends.' }),
      filter: t.arg({ type: AlertGroupFilter, description: 'Null: all groups.' }),
    },
    resolve: (_root, args, { reads }) => reads.alertGroups(args),
  }),
);

builder.queryField('alertGroup', (t) =>
  t.field({
    type: AlertGroupRef,
    nullable: true,
    description: 'One group; null when there is none with this id.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID.' }) },
    resolve: (_root, { id }, { loaders }) => {
      const key = keyOf('AlertGroup', id);
      return key === null ? null : loaders.alertGroup.load(key);
    },
  }),
);

builder.queryField('intakeDecisions', (t) =>
  t.field({
    type: IntakeDecisionConnection,
    extensions: costs(10),
    description:
      'What became of each alert of each delivery, newest first; also of deliveries that could not be read.',
    args: {
      first: t.arg.int({ description: FIRST }),
      after: t.arg.string({ description: AFTER }),
      outcome: t.arg({ type: [IntakeOutcomeEnum], description: 'Only these outcomes. Default: all.' }),
      source: t.arg.stringList({ description: 'Only of these sources. Default: all.' }),
    },
    resolve: (_root, args, { reads }) => reads.intakeDecisions(args),
  }),
);

builder.queryField('silences', (t) =>
  t.field({
    type: SilenceConnection,
    extensions: costs(10),
    description: 'Silences that hold or will, newest first.',
    args: {
      first: t.arg.int({ description: FIRST }),
      after: t.arg.string({ description: AFTER }),
      includeEnded: t.arg.boolean({ description: 'Also those that have ended. Default: false.' }),
    },
    resolve: (_root, args, { reads }) => reads.silences(args),
  }),
);
