import type { SessionSnapshot } from '../../engine/engine.ts';
import { builder } from '../builder.ts';
import type { SessionFilterOptions, SessionPage } from '../context.ts';
import { SessionStatus } from '../enums.ts';
import { SessionRef } from './refs.ts';

// Written out, not made by the relay plugin: its PageInfo holds ready values, and hasPreviousPage costs a query.
const PageInfo = builder.objectRef<SessionPage>('PageInfo').implement({
  fields: (t) => ({
    hasNextPage: t.boolean({ resolve: (page) => page.hasNextPage() }),
    hasPreviousPage: t.boolean({ resolve: (page) => page.hasPreviousPage() }),
    startCursor: t.string({ nullable: true, resolve: ({ edges }) => edges.at(0)?.cursor }),
    endCursor: t.string({ nullable: true, resolve: ({ edges }) => edges.at(-1)?.cursor }),
  }),
});

const SessionEdge = builder.objectRef<SessionPage['edges'][number]>('SessionEdge').implement({
  fields: (t) => ({
    cursor: t.exposeString('cursor'),
    node: t.expose('node', { type: SessionRef }),
  }),
});

export const SessionConnection = builder.objectRef<SessionPage>('SessionConnection').implement({
  fields: (t) => ({
    edges: t.expose('edges', { type: [SessionEdge] }),
    nodes: t.field({ type: [SessionRef], resolve: ({ edges }) => edges.map((edge) => edge.node) }),
    pageInfo: t.field({ type: PageInfo, resolve: (page) => page }),
    totalCount: t.int({ resolve: (page) => page.totalCount() }),
  }),
});

type Overview = { active: SessionSnapshot[]; queued: SessionSnapshot[] };

export const ActiveSessions = builder.objectRef<Overview>('ActiveSessions').implement({
  fields: (t) => ({
    active: t.expose('active', { type: [SessionRef], description: 'Newest first.' }),
    queued: t.expose('queued', { type: [SessionRef], description: 'In the order in which they will run.' }),
  }),
});

export const FilterOptions = builder.objectRef<SessionFilterOptions>('SessionFilterOptions').implement({
  description: 'The values that sessions have, for the choices of a filter.',
  fields: (t) => ({
    alertTypes: t.exposeStringList('alertTypes'),
    chainIds: t.exposeStringList('chainIds'),
    authors: t.exposeStringList('authors'),
    statuses: t.expose('statuses', { type: [SessionStatus] }),
  }),
});
