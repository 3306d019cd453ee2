import { builder } from '../schema/builder.ts';
import { SessionFacetEnum } from '../schema/enums.ts';
import { isSearch, queryCost, SEARCH_COST } from '../schema/query-cost.ts';
import { pageArgs } from '../schema/types/connection.ts';
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
      'Sessions that match a filter, paged in either direction; without `first` and `last` the first 25.',
    args: {
      ...pageArgs(t.arg),
      filter: t.arg({ type: SessionFilter, description: 'Null for all sessions.' }),
      orderBy: t.arg({ type: SessionOrder, description: 'Null for newest first.' }),
    },
    resolve: (_root, args, { reads }) => reads.sessions(args),
  }),
);

builder.queryField('activeSessions', (t) =>
  t.field({
    type: ActiveSessions,
    extensions: queryCost({ own: 100 }),
    description: 'Running and waiting sessions, at most 500 of each.',
    resolve: (_root, _args, { reads }) => reads.activeSessions(),
  }),
);

builder.queryField('sessionFilterOptions', (t) =>
  t.field({
    type: FilterOptions,
    extensions: queryCost({ own: 100 }),
    description: 'Existing values for the choices of a filter.',
    resolve: (_root, _args, { reads }) => reads.filterOptions(),
  }),
);

builder.queryField('sessionCounts', (t) =>
  t.field({
    type: SessionCounts,
    extensions: queryCost({ own: ({ filter }) => (isSearch(filter) ? SEARCH_COST : 1_000) }),
    description:
      'Number of sessions per value of a facet. The filter’s condition on that facet is ignored, so that the counts show the effect of other choices.',
    args: {
      by: t.arg({ type: SessionFacetEnum, required: true, description: 'Facet to count by.' }),
      filter: t.arg({ type: SessionFilter, description: 'Null for all sessions.' }),
    },
    resolve: (_root, args, { reads }) => reads.sessionCounts(args),
  }),
);
