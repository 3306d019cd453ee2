import { builder } from '../schema/builder.ts';
import { SessionFacetEnum } from '../schema/enums.ts';
import { isSearch, queryCost, SEARCH_COST } from '../schema/query-cost.ts';
import {
  ActiveSessions,
  FilterOptions,
  SessionConnection,
  SessionCounts,
  SessionFilter,
  SessionOrder,
} from '../schema/types/session-list.ts';

builder.queryField('sessions', (t) =>
  t.field({
    type: SessionConnection,
    extensions: queryCost({ own: ({ filter }) => (isSearch(filter) ? SEARCH_COST : 10) }),
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
    extensions: queryCost({ own: 100 }),
    description: 'What runs and what waits, at most 500 of each.',
    resolve: (_root, _args, { reads }) => reads.activeSessions(),
  }),
);

builder.queryField('sessionFilterOptions', (t) =>
  t.field({
    type: FilterOptions,
    extensions: queryCost({ own: 100 }),
    description: 'The values that the choices of a filter may have.',
    resolve: (_root, _args, { reads }) => reads.filterOptions(),
  }),
);

builder.queryField('sessionCounts', (t) =>
  t.field({
    type: SessionCounts,
    extensions: queryCost({ own: ({ filter }) => (isSearch(filter) ? SEARCH_COST : 1_000) }),
    description:
      'How many sessions have each value of a facet, of those that the filter finds without its condition on that facet: what another choice would find.',
    args: {
      by: t.arg({ type: SessionFacetEnum, required: true, description: 'What they are counted by.' }),
      filter: t.arg({ type: SessionFilter, description: 'Null: all sessions.' }),
    },
    resolve: (_root, args, { reads }) => reads.sessionCounts(args),
  }),
);
