import type { SessionSnapshot } from '../../engine/engine.ts';
import { builder } from '../builder.ts';
import type { SessionFilterOptions, SessionPage } from '../context.ts';
import { costs } from '../cost.ts';
import { SessionStatusEnum } from '../enums.ts';
import { PageInfo } from './page-info.ts';
import { SessionRef } from './refs.ts';

const SessionEdge = builder.objectRef<SessionPage['edges'][number]>('SessionEdge').implement({
  description: 'A session in its place in a list.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'Its place, for `after` and `before`: stays right when others come in.',
    }),
    node: t.expose('node', { type: SessionRef, description: 'The session itself.' }),
  }),
});

export const SessionConnection = builder.objectRef<SessionPage>('SessionConnection').implement({
  description: 'One page of a list of sessions.',
  fields: (t) => ({
    edges: t.expose('edges', {
      type: [SessionEdge],
      description: 'The sessions of the page, each with its cursor.',
    }),
    nodes: t.field({
      type: [SessionRef],
      description: 'The sessions of the page.',
      resolve: ({ edges }) => edges.map((edge) => edge.node),
    }),
    pageInfo: t.field({
      type: PageInfo,
      description: 'What comes before and after it.',
      resolve: (page) => page,
    }),
    totalCount: t.int({
      extensions: costs(5), // for each of the page
      description: 'How many sessions the filter finds, on all pages.',
      resolve: (page) => page.totalCount(),
    }),
  }),
});

type Overview = { active: SessionSnapshot[]; queued: SessionSnapshot[] };

export const ActiveSessions = builder.objectRef<Overview>('ActiveSessions').implement({
  description: 'The sessions that have not ended.',
  fields: (t) => ({
    active: t.expose('active', {
      type: [SessionRef],
      description: 'Those that run, newest first; at most 500.',
    }),
    queued: t.expose('queued', {
      type: [SessionRef],
      description: 'Those that wait, in the order in which they will run; the first 500.',
    }),
  }),
});

export const FilterOptions = builder.objectRef<SessionFilterOptions>('SessionFilterOptions').implement({
  description: 'The values that sessions have, for the choices of a filter.',
  fields: (t) => ({
    alertTypes: t.exposeStringList('alertTypes', { description: 'Alert types, by name.' }),
    chainIds: t.exposeStringList('chainIds', { description: 'Chains, by name.' }),
    authors: t.exposeStringList('authors', { description: 'Authors, by name.' }),
    statuses: t.expose('statuses', {
      type: [SessionStatusEnum],
      description: 'Statuses that sessions have.',
    }),
    teams: t.exposeStringList('teams', { description: 'Teams, by name.' }),
  }),
});
