import { builder } from '../schema/builder.ts';
import { IntakeOutcomeEnum } from '../schema/enums.ts';
import { queryCost } from '../schema/query-cost.ts';
import { firstPageArgs } from '../schema/types/connection.ts';
import { IntakeDecisionConnection } from '../schema/types/intake-decision.ts';

builder.queryField('intakeDecisions', (t) =>
  t.field({
    type: IntakeDecisionConnection,
    extensions: queryCost({ own: 10 }),
    description:
      'Decisions about each alert of each delivery, newest first, including unreadable deliveries.',
    args: {
      ...firstPageArgs(t.arg),
      outcome: t.arg({ type: [IntakeOutcomeEnum], description: 'Only these outcomes. Default: all.' }),
      source: t.arg.stringList({ description: 'Only of these sources. Default: all.' }),
    },
    resolve: (_root, args, { reads }) => reads.intakeDecisions(args),
  }),
);
