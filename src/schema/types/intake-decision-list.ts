import { builder } from '../builder.ts';
import { enums } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { firstPageArgs } from './connection.ts';
import { IntakeDecisionConnection } from './intake-decision.ts';

builder.queryField('intakeDecisions', (t) =>
  t.field({
    type: IntakeDecisionConnection,
    extensions: queryCost({ own: 10 }),
    description:
      'Decisions about each alert of each delivery, newest first, including unreadable deliveries.',
    args: {
      ...firstPageArgs(t.arg),
      outcome: t.arg({ type: [enums.IntakeOutcome], description: 'Only these outcomes. Default: all.' }),
      source: t.arg.stringList({ description: 'Only of these sources. Default: all.' }),
    },
    resolve: (_root, args, { reads }) => reads.intakeDecisions(args),
  }),
);
