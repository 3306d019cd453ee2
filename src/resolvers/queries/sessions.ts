import { builder } from '../../schema/builder.ts';
import { SessionFilter, SessionOrder } from '../../schema/inputs.ts';
import { ActiveSessions, FilterOptions, SessionConnection } from '../../schema/types/session-connection.ts';

builder.queryField('sessions', (t) =>
  t.field({
    type: SessionConnection,
    description:
      'Pages of 1 to 100 (25 when not said) in either direction; newest first when no order is given.',
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      last: t.arg.int(),
      before: t.arg.string(),
      filter: t.arg({ type: SessionFilter }),
      orderBy: t.arg({ type: SessionOrder }),
    },
    resolve: (_root, args, { reads }) => reads.sessions(args),
  }),
);

builder.queryField('activeSessions', (t) =>
  t.field({
    type: ActiveSessions,
    description: 'What runs and what waits, at most 500 of each.',
    resolve: (_root, _args, { reads }) => reads.activeSessions(),
  }),
);

builder.queryField('sessionFilterOptions', (t) =>
  t.field({ type: FilterOptions, resolve: (_root, _args, { reads }) => reads.filterOptions() }),
);
