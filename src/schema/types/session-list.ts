import type { SessionSnapshot } from '../../engine/api/engine.ts';
import { builder } from '../builder.ts';
import {
  OrderDirectionEnum,
  QualityRatingEnum,
  ReviewStatusEnum,
  SessionOrderFieldEnum,
  SessionStatusEnum,
  SeverityEnum,
  VerdictKindEnum,
} from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import type { SessionCountsView, SessionFilterOptions } from '../views.ts';
import { connectionOf } from './connection.ts';
import { SessionRef } from './refs.ts';

export const SessionConnection = connectionOf('Session', SessionRef as never, 'sessions');

type Overview = { active: SessionSnapshot[]; queued: SessionSnapshot[] };

export const ActiveSessions = builder.objectRef<Overview>('ActiveSessions').implement({
  description: 'Sessions that have not ended.',
  fields: (t) => ({
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
  }),
});

export const FilterOptions = builder.objectRef<SessionFilterOptions>('SessionFilterOptions').implement({
  description: 'Existing values for the choices of a filter.',
  fields: (t) => ({
    alertTypes: t.exposeStringList('alertTypes', { description: 'Alert types, by name.' }),
    chainIds: t.exposeStringList('chainIds', { description: 'Chains, by name.' }),
    authors: t.exposeStringList('authors', { description: 'Authors, by name.' }),
    statuses: t.expose('statuses', {
      type: [SessionStatusEnum],
      description: 'Statuses of existing sessions.',
    }),
    teams: t.exposeStringList('teams', { description: 'Teams, by name.' }),
  }),
});

const SessionCount = builder.objectRef<SessionCountsView['values'][number]>('SessionCount').implement({
  description: 'Number of sessions with a value.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'Value, as accepted by a filter.' }),
    count: t.exposeInt('count', { description: 'Number of sessions with the value.' }),
  }),
});

export const SessionCounts = builder.objectRef<SessionCountsView>('SessionCounts').implement({
  description: 'Number of sessions per value.',
  fields: (t) => ({
    values: t.expose('values', {
      type: [SessionCount],
      description: 'Most frequent values first, at most 200. Values without sessions are omitted.',
    }),
    counted: t.exposeInt('counted', {
      description: 'Number of counted sessions: the newest 20,000 at most.',
    }),
    whole: t.exposeBoolean('whole', { description: 'False if more sessions exist than were counted.' }),
  }),
});

export const SessionFilter = builder.inputType('SessionFilter', {
  description:
    'All given conditions must match. A list matches if any of its values does; an empty list is no condition.',
  fields: (t) => ({
    status: t.field({ type: [SessionStatusEnum], description: 'Has one of these statuses.' }),
    alertType: t.stringList({ description: 'Has one of these alert types.' }),
    chainId: t.stringList({ description: 'Was investigated by one of these chains.' }),
    author: t.stringList({ description: 'Was submitted by one of these users.' }),
    verdict: t.field({ type: [VerdictKindEnum], description: 'The report has one of these verdicts.' }),
    reviewStatus: t.field({
      type: [ReviewStatusEnum],
      description: 'The review has one of these statuses. Running and cancelled sessions have no review.',
    }),
    rating: t.field({ type: [QualityRatingEnum], description: 'Was rated as one of these.' }),
    assignee: t.stringList({ description: 'Is or was assigned to one of these reviewers.' }),
    severity: t.field({ type: [SeverityEnum], description: 'Has one of these severities.' }),
    groupId: t.id({
      description: 'Investigates this alert group, alone or as part of a storm.',
    }),
    source: t.stringList({ description: 'Investigates grouped alerts of one of these sources.' }),
    team: t.stringList({ description: 'Belongs to one of these teams.' }),
    search: t.string({
      description:
        'At least 3 characters, case-insensitive; searches alert data, final analysis and timeline text. All words must occur, each anywhere, as part of a word or in another form. Words in "quotes" must be adjacent.',
    }),
    createdAfter: t.field({ type: 'DateTime', description: 'At or after this moment.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Before this moment.' }),
  }),
});

export const SessionOrder = builder.inputType('SessionOrder', {
  description: 'Order of a list of sessions; ties are ordered by createdAt.',
  fields: (t) => ({
    field: t.field({ type: SessionOrderFieldEnum, required: true, description: 'Sort key.' }),
    direction: t.field({ type: OrderDirectionEnum, required: true, description: 'Sort direction.' }),
  }),
});
