import type { AlertGroupRow } from '../../db/entities/index.ts';
import type { SessionSnapshot } from '../../engine/api/engine.ts';
import { builder } from '../builder.ts';
import { AlertStateEnum, SeverityEnum } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { AlertConnection } from './alert.ts';
import { connectionOf } from './connection.ts';
import {
  ConflictErrorRef,
  ForbiddenErrorRef,
  NotFoundErrorRef,
  resultTypeName,
  ShuttingDownErrorRef,
  TooManyAlertsErrorRef,
} from './errors.ts';
import { IntakeDecisionConnection } from './intake-decision.ts';
import { AlertGroupRef, SessionRef } from './refs.ts';

builder.node(AlertGroupRef, {
  description: 'Alerts that are one problem: one investigation serves them all.',
  id: { resolve: ({ id }) => id },
  fields: (t) => ({
    source: t.exposeString('source', { description: 'Name of its source.' }),
    groupKey: t.exposeString('groupKey', {
      description: 'What its alerts have in common; one open group of a source has it.',
    }),
    title: t.exposeString('title', { description: 'Of its first alert, masked.' }),
    severity: t.expose('severity', {
      type: SeverityEnum,
      description: 'The highest of its firing alerts; of those that fired last once none does.',
    }),
    state: t.expose('state', { type: AlertStateEnum, description: 'FIRING while one of its alerts is.' }),
    flapping: t.exposeBoolean('flapping', { description: 'Whether it begins and ends again and again.' }),
    alertType: t.exposeString('alertType', { description: 'Of its investigations.' }),
    team: t.exposeString('team', {
      nullable: true,
      description: 'Whose it is, as its rule said when it was opened; null when none did.',
    }),
    alertCount: t.exposeInt('alertCount', { description: 'Alerts in it.' }),
    firingCount: t.exposeInt('firingCount', { description: 'Those of them that fire.' }),
    alerts: t.field({
      type: AlertConnection,
      description: 'Those that fire first, then by when they began.',
      args: {
        first: t.arg.int({ description: 'So many from the start, or after `after`: 1 to 100.' }),
        after: t.arg.string({ description: 'Cursor after which the page begins.' }),
        last: t.arg.int({ description: 'So many from the end, or before `before`: 1 to 100.' }),
        before: t.arg.string({ description: 'Cursor before which the page ends.' }),
      },
      resolve: ({ id }, args, { reads }) => reads.alertsOfGroup(id, args),
    }),
    sessions: t.field({
      type: [SessionRef],
      description: 'Its investigations, newest first; at most 100.',
      resolve: ({ id }, _args, { loaders }) => loaders.sessionsOfGroup.load(id),
    }),
    decisions: t.field({
      type: IntakeDecisionConnection,
      extensions: queryCost({ own: 5 }),
      description: 'Newest first: what became of each delivery, and why.',
      args: {
        first: t.arg.int({ description: 'So many from the start, or after `after`: 1 to 100.' }),
        after: t.arg.string({ description: 'Cursor after which the page begins.' }),
      },
      resolve: ({ id }, args, { reads, loaders }) =>
        args.after == null
          ? loaders.decisionsOfGroup(args.first ?? null).load(id)
          : reads.intakeDecisions({ ...args, groupId: id }),
    }),
    openedAt: t.expose('openedAt', { type: 'DateTime', description: 'When its first alert was told of.' }),
    resolvedAt: t.expose('resolvedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When none of its alerts fired any more; null while one does.',
    }),
    lastReceivedAt: t.expose('lastReceivedAt', {
      type: 'DateTime',
      description: 'When it was last told of.',
    }),
  }),
});

export const AlertGroupConnection = connectionOf('AlertGroup', AlertGroupRef as never, 'groups of alerts');

export const AlertGroupsChanged = builder.objectRef<AlertGroupRow>('AlertGroupsChanged').implement({
  description: 'A group was opened, joined, resolved or decided on.',
  fields: (t) => ({
    group: t.field({
      type: AlertGroupRef,
      description: 'The group as it is now.',
      resolve: (group) => group,
    }),
  }),
});

export const AlertGroupFilter = builder.inputType('AlertGroupFilter', {
  description:
    'Every condition given must hold; a list holds when any of its values does, and is no condition when empty.',
  fields: (t) => ({
    state: t.field({ type: AlertStateEnum, description: 'Fires, or does not.' }),
    severity: t.field({ type: [SeverityEnum], description: 'Has one of these severities.' }),
    source: t.stringList({ description: 'Is of one of these sources.' }),
    alertType: t.stringList({ description: 'Has one of these alert types.' }),
    team: t.stringList({ description: 'Is of one of these teams.' }),
    search: t.string({ description: 'At least 3 characters, any case; looks in titles and labels.' }),
    since: t.field({ type: 'DateTime', description: 'Was told of at or after this moment.' }),
    before: t.field({ type: 'DateTime', description: 'Was last told of before this moment.' }),
  }),
});

const InvestigateAlertGroupSuccess = builder
  .objectRef<SessionSnapshot>('InvestigateAlertGroupSuccess')
  .implement({
    description: 'The group is investigated.',
    fields: (t) => ({
      session: t.field({
        type: SessionRef,
        description: 'Its investigation: a new one, or the one that waits or runs already.',
        resolve: (session) => session,
      }),
    }),
  });

export const InvestigateAlertGroupResult = builder.unionType('InvestigateAlertGroupResult', {
  description: 'What became of a wish to investigate a group.',
  types: [
    InvestigateAlertGroupSuccess,
    NotFoundErrorRef,
    ConflictErrorRef,
    ShuttingDownErrorRef,
    TooManyAlertsErrorRef,
    ForbiddenErrorRef,
  ],
  resolveType: (result) => resultTypeName(result, 'InvestigateAlertGroupSuccess'),
});
