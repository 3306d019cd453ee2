import { builder } from '../../schema/builder.ts';
import { SessionFilter, SessionOrder } from '../../schema/inputs.ts';
import { ActiveSessions, FilterOptions, SessionConnection } from '../../schema/types/session-connection.ts';

builder.queryField('sessions', (t) =>
  t.field({
    type: SessionConnection,
    description:
      'The sessions that a filter finds, in pages and in either direction; without both `first` and `last` the first 25.',
    args: {
      first: t.arg.int({ description: 'So many from the start, or after `after`: 1 to 100.' }),
      after: t.arg.string({ description: 'Cursor after which the page begins.' }),
      last: t.arg.int({ description: 'So many from the end, or before `before`: 1 to 100.' }),
      before: t.arg.string({ description: 'Cursor before which the page ends.' }),
      filter: t.arg({ type: SessionFilter, description: 'Null: all sessions.' }),
      orderBy: t.arg({ type: SessionOrder, description: 'Null: newest first.' }),
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
  t.field({
    type: FilterOptions,
    description: 'The values that the choices of a filter may have.',
    resolve: (_root, _args, { reads }) => reads.filterOptions(),
  }),
);
