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
  description: 'The sessions that have not ended.',
  fields: (t) => ({
    active: t.expose('active', {
      type: [SessionRef],
      extensions: queryCost({ rows: 50 }),
      description: 'Those that run, newest first; at most 500.',
    }),
    queued: t.expose('queued', {
      type: [SessionRef],
      extensions: queryCost({ rows: 50 }),
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

const SessionCount = builder.objectRef<SessionCountsView['values'][number]>('SessionCount').implement({
  description: 'How many sessions have a value.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'The value, as a filter takes it.' }),
    count: t.exposeInt('count', { description: 'Sessions that have it.' }),
  }),
});

export const SessionCounts = builder.objectRef<SessionCountsView>('SessionCounts').implement({
  description: 'How many sessions have each value.',
  fields: (t) => ({
    values: t.expose('values', {
      type: [SessionCount],
      description: 'What most have first, at most 200; what none has is left out.',
    }),
    counted: t.exposeInt('counted', { description: 'How many sessions were counted: the newest 20,000.' }),
    whole: t.exposeBoolean('whole', { description: 'False when there are more, which were not counted.' }),
  }),
});

export const SessionFilter = builder.inputType('SessionFilter', {
  description:
    'Every condition given must hold; a list holds when any of its values does, and is no condition when empty.',
  fields: (t) => ({
    status: t.field({ type: [SessionStatusEnum], description: 'Has one of these statuses.' }),
    alertType: t.stringList({ description: 'Has one of these alert types.' }),
    chainId: t.stringList({ description: 'Was investigated by one of these chains.' }),
    author: t.stringList({ description: 'Was submitted by one of these users.' }),
    verdict: t.field({ type: [VerdictKindEnum], description: 'Its report has one of these verdicts.' }),
    reviewStatus: t.field({
      type: [ReviewStatusEnum],
      description: 'Its review is that far; those that still run, and cancelled ones, have none.',
    }),
    rating: t.field({ type: [QualityRatingEnum], description: 'Was rated as one of these.' }),
    assignee: t.stringList({ description: 'Is, or was, reviewed by one of these.' }),
    severity: t.field({ type: [SeverityEnum], description: 'Has one of these severities.' }),
    groupId: t.id({
      description: 'Is about this group of alerts: its own investigations, and those of storms.',
    }),
    source: t.stringList({ description: 'Is about alerts of one of these sources, which are grouped.' }),
    team: t.stringList({ description: 'Is of one of these teams.' }),
    search: t.string({
      description:
        'At least 3 characters, any case; looks in alert data, final analysis and timeline text. All words must be found, each anywhere, as parts of words or in another form; "words in quotes" must follow each other.',
    }),
    createdAfter: t.field({ type: 'DateTime', description: 'At or after this moment.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Before this moment.' }),
  }),
});

export const SessionOrder = builder.inputType('SessionOrder', {
  description: 'The order of a list of sessions; those that are equal in it come by createdAt.',
  fields: (t) => ({
    field: t.field({ type: SessionOrderFieldEnum, required: true, description: 'What counts.' }),
    direction: t.field({ type: OrderDirectionEnum, required: true, description: 'Which end comes first.' }),
  }),
});
