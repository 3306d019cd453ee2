import { ConflictError, NotFoundError, ShuttingDownError, TooManyAlertsError } from '../../common/errors.ts';
import type { AlertGroupRow } from '../../db/entities/index.ts';
import { builder, nodeType } from '../builder.ts';
import type { Context } from '../context.ts';
import { enums } from '../enums.ts';
import { isSearch, queryCost, SEARCH_COST } from '../query-cost.ts';
import { changeVisible, queryById, requireIntake, silenceCoverageOf } from '../root-fields.ts';
import { StreamSource, seenBy } from '../stream-source.ts';
import { AlertConnection } from './alert.ts';
import { connectionOf, firstPageArgs, pageArgs } from './connection.ts';
import { mutationResult, wrapperOf } from './errors.ts';
import { IntakeDecisionConnection } from './intake-decision.ts';
import { AlertGroupRef, SessionRef, SilenceRef } from './refs.ts';

nodeType(AlertGroupRef, 'Alerts of one problem, which share an investigation.', (t) => ({
  source: t.exposeString('source', { description: 'Name of the source.' }),
  groupKey: t.exposeString('groupKey', {
    description: 'Grouping key. A source has at most one open group with a given key.',
  }),
  title: t.exposeString('title', {
    description: 'Title of the worst firing alert, or of the last one that fired, masked.',
  }),
  severity: t.expose('severity', {
    type: enums.Severity,
    description: 'Highest severity of the firing alerts, or of the last ones that fired.',
  }),
  state: t.expose('state', {
    type: enums.AlertState,
    description: 'FIRING while any of its alerts is firing.',
  }),
  flapping: t.exposeBoolean('flapping', { description: 'True if the group starts and stops repeatedly.' }),
  silence: t.field({
    type: SilenceRef,
    nullable: true,
    extensions: queryCost({ own: 2 }),
    description:
      'Silence that covers all its firing alerts now, the first to end of several; null if an alert is not covered.',
    resolve: silenceOf,
  }),
  recentEpisodes: t.int({
    description:
      'Number of times that its key began to fire within the day before `lastReceivedAt`, this time included.',
    resolve: ({ id }, _args, { loaders }) => loaders.episodesOfGroup.load(id),
  }),
  alertType: t.exposeString('alertType', { description: 'Alert type of its investigations.' }),
  team: t.exposeString('team', {
    nullable: true,
    description: 'Team that the matching rule assigned; null if none did.',
  }),
  alertCount: t.exposeInt('alertCount', { description: 'Number of alerts.' }),
  firingCount: t.exposeInt('firingCount', { description: 'Number of firing alerts.' }),
  alerts: t.field({
    type: AlertConnection,
    description: 'Firing alerts first, then by start time.',
    args: pageArgs(t.arg),
    resolve: ({ id }, args, { reads }) => reads.alertsOfGroup(id, args),
  }),
  sessions: t.field({
    type: [SessionRef],
    description: 'Investigations of the group, newest first; at most 100.',
    resolve: ({ id }, _args, { loaders }) => loaders.sessionsOfGroup.load(id),
  }),
  decisions: t.field({
    type: IntakeDecisionConnection,
    extensions: queryCost({ own: 5 }),
    description: 'Decisions about its deliveries, newest first.',
    args: firstPageArgs(t.arg),
    resolve: ({ id }, args, { reads, loaders }) =>
      args.after
        ? reads.intakeDecisions({ ...args, groupId: id })
        : loaders.decisionsOfGroup(args.first ?? null).load(id),
  }),
  startedAt: t.field({
    type: 'DateTime',
    description:
      'When the first of its firing alerts began, by its sender; of a resolved group, of all alerts. `openedAt` if that is earlier, or if its alerts fire in a later group.',
    resolve: async ({ id, openedAt }, _args, { loaders }) =>
      (await loaders.startOfGroup.load(id)) ?? openedAt,
  }),
  openedAt: t.expose('openedAt', { type: 'DateTime', description: 'When the first alert was received.' }),
  resolvedAt: t.expose('resolvedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the last firing alert resolved; null while any is firing.',
  }),
  lastReceivedAt: t.expose('lastReceivedAt', {
    type: 'DateTime',
    description: 'When an alert of the group was last received.',
  }),
}));

async function silenceOf(group: AlertGroupRow, _args: unknown, context: Context) {
  if (group.state !== 'FIRING') return null;
  const { loaders } = context;
  const silences = await loaders.activeSilences.load('now');
  if (silences.length === 0) return null;
  const firing = await loaders.firingOfGroup.load(group.id);
  const id = silenceCoverageOf(context).silenceOver(group, firing, silences);
  return id === null ? null : loaders.silence.load(id);
}

const AlertGroupConnection = connectionOf('AlertGroup', AlertGroupRef as never, 'groups of alerts');

const AlertGroupsChanged = wrapperOf<AlertGroupRow>(
  'AlertGroupsChanged',
  'A group was opened, joined, resolved or decided on.',
  {
    group: { type: AlertGroupRef, description: 'The group as it is now.' },
  },
);

const AlertGroupFilter = builder.inputType('AlertGroupFilter', {
  description:
    'All given conditions must match. A list matches if any of its values does; an empty list is no condition.',
  fields: (t) => ({
    state: t.field({ type: enums.AlertState, description: 'Current state.' }),
    severity: t.field({ type: [enums.Severity], description: 'Has one of these severities.' }),
    source: t.stringList({ description: 'Is of one of these sources.' }),
    alertType: t.stringList({ description: 'Has one of these alert types.' }),
    team: t.stringList({ description: 'Is of one of these teams.' }),
    search: t.string({ description: 'At least 3 characters, any case; looks in titles and labels.' }),
    since: t.field({ type: 'DateTime', description: 'Last received at or after this time.' }),
    before: t.field({ type: 'DateTime', description: 'Last received before this time.' }),
  }),
});

const InvestigateAlertGroup = mutationResult(
  'InvestigateAlertGroup',
  [NotFoundError, ConflictError, ShuttingDownError, TooManyAlertsError],
  {
    description: 'The group is being investigated.',
    field: {
      session: {
        type: SessionRef,
        description: 'The new investigation, or the one that already waits or runs.',
      },
    },
  },
);

builder.queryField('alertGroups', (t) =>
  t.field({
    type: AlertGroupConnection,
    extensions: queryCost({ own: ({ filter }) => (isSearch(filter) ? SEARCH_COST : 10) }),
    description: 'Alert groups, most recently received first; without `first` and `last` the first 25.',
    args: {
      ...pageArgs(t.arg),
      foldFlaps: t.arg.boolean({
        description:
          'True to leave out each group whose key fired again within 30 minutes of its end, because the later group stands for it. Default: false.',
      }),
      filter: t.arg({ type: AlertGroupFilter, description: 'Null for all groups.' }),
    },
    resolve: (_root, args, { reads }) => reads.alertGroups(args),
  }),
);

queryById('alertGroup', AlertGroupRef, 'One group');

builder.mutationField('investigateAlertGroup', (t) =>
  t.field({
    type: InvestigateAlertGroup.type,
    description: 'Investigates a group now, regardless of its rules.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the group.' }) },
    resolve: (_root, { id }, context) =>
      changeVisible({ result: InvestigateAlertGroup, type: 'AlertGroup', id, context }, (key) =>
        requireIntake(context).investigateGroup(key, context.viewer),
      ),
  }),
);

builder.subscriptionField('alertGroupsChanged', (t) =>
  t.field({
    type: AlertGroupsChanged,
    description:
      'Reports each group that is opened, joined, resolved or decided on from now on, within about a second.',
    subscribe: (_root, _args, context) =>
      new StreamSource(seenBy(context.viewer, requireIntake(context).subscribeGroups())),
    resolve: (group) => group,
  }),
);
