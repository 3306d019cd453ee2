import type { SessionSnapshot } from '../../engine/api/engine.ts';
import { builder, objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { isSearch, queryCost, SEARCH_COST } from '../query-cost.ts';
import type { SessionCountsView, SessionFilterOptions } from '../views.ts';
import { connectionOf, pageArgs } from './connection.ts';
import { SessionRef } from './refs.ts';

const SessionConnection = connectionOf('Session', SessionRef as never, 'sessions');

type Overview = { active: SessionSnapshot[]; queued: SessionSnapshot[] };

const ActiveSessions = objectType<Overview>('ActiveSessions', 'Sessions that have not ended.', (t) => ({
  active: t.expose('active', {
    type: [SessionRef],
    extensions: queryCost({ rows: 50 }),
    description: 'Running sessions, newest first; at most 500.',
  }),
  queued: t.expose('queued', {
    type: [SessionRef],
    extensions: queryCost({ rows: 50 }),
    description: 'Waiting sessions, in the order in which they will run; the first 500.',
  }),
}));

const FilterOptions = objectType<SessionFilterOptions>(
  'SessionFilterOptions',
  'Existing values for the choices of a filter.',
  (t) => ({
    alertTypes: t.exposeStringList('alertTypes', { description: 'Alert types, by name.' }),
    chainIds: t.exposeStringList('chainIds', { description: 'Chains, by name.' }),
    authors: t.exposeStringList('authors', { description: 'Authors, by name.' }),
    statuses: t.expose('statuses', {
      type: [enums.SessionStatus],
      description: 'Statuses of existing sessions.',
    }),
    teams: t.exposeStringList('teams', { description: 'Teams, by name.' }),
    labels: t.stringList({
      description: 'Labels of the configuration, by name.',
      resolve: (_options, _args, { labels }) => labels,
    }),
  }),
);

const SessionCount = objectType<SessionCountsView['values'][number]>(
  'SessionCount',
  'Number of sessions with a value.',
  (t) => ({
    value: t.exposeString('value', { description: 'Value, as accepted by a filter.' }),
    count: t.exposeInt('count', { description: 'Number of sessions with the value.' }),
  }),
);

const SessionCounts = objectType<SessionCountsView>(
  'SessionCounts',
  'Number of sessions per value.',
  (t) => ({
    values: t.expose('values', {
      type: [SessionCount],
      description: 'Most frequent values first, at most 200. Values without sessions are omitted.',
    }),
    counted: t.exposeInt('counted', {
      description: 'Number of counted sessions: the newest 20,000 at most.',
    }),
    whole: t.exposeBoolean('whole', { description: 'False if more sessions exist than were counted.' }),
  }),
);

export const SessionFilter = builder.inputType('SessionFilter', {
  description:
    'All given conditions must match. A list matches if any of its values does; an empty list is no condition.',
  fields: (t) => ({
    status: t.field({ type: [enums.SessionStatus], description: 'Has one of these statuses.' }),
    alertType: t.stringList({ description: 'Has one of these alert types.' }),
    chainId: t.stringList({ description: 'Was investigated by one of these chains.' }),
    author: t.stringList({ description: 'Was submitted by one of these users.' }),
    verdict: t.field({ type: [enums.VerdictKind], description: 'The report has one of these verdicts.' }),
    labels: t.stringList({ description: 'The report has one of these labels.' }),
    reviewStatus: t.field({
      type: [enums.ReviewStatus],
      description: 'The review has one of these statuses. Running and cancelled sessions have no review.',
    }),
    rating: t.field({ type: [enums.QualityRating], description: 'Was rated as one of these.' }),
    assignee: t.stringList({ description: 'Is or was assigned to one of these reviewers.' }),
    severity: t.field({ type: [enums.Severity], description: 'Has one of these severities.' }),
    waitingFor: t.field({ type: [enums.WaitReason], description: 'Waits for one of these reasons.' }),
    groupId: t.id({ description: 'Investigates this alert group, alone or as part of a storm.' }),
    source: t.stringList({ description: 'Investigates grouped alerts of one of these sources.' }),
    team: t.stringList({ description: 'Belongs to one of these teams.' }),
    search: t.string({
      description:
        'At least 3 characters, case-insensitive; searches alert data, final analysis and timeline text. All words must occur, each anywhere, as part of a word or in another form. Words in "quotes" must be adjacent.',
    }),
    createdAfter: t.field({ type: 'DateTime', description: 'At or after this moment.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Before this moment.' }),
    isReplay: t.boolean({
      description: 'True for replays of cases only. Default false: replays are left out.',
    }),
  }),
});

const SessionOrder = builder.inputType('SessionOrder', {
  description: 'Order of a list of sessions; ties are ordered by createdAt.',
  fields: (t) => ({
    field: t.field({ type: enums.SessionOrderField, required: true, description: 'Sort key.' }),
    direction: t.field({ type: enums.OrderDirection, required: true, description: 'Sort direction.' }),
  }),
});

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
      by: t.arg({ type: enums.SessionFacet, required: true, description: 'Facet to count by.' }),
      filter: t.arg({ type: SessionFilter, description: 'Null for all sessions.' }),
    },
    resolve: (_root, args, { reads }) => reads.sessionCounts(args),
  }),
);
