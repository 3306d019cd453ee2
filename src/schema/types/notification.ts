import { ConflictError, NotFoundError } from '../../common/errors.ts';
import type { NotificationDeliveryRow } from '../../db/entities/index.ts';
import type { NotificationChannelInfo } from '../../engine/api/notifications.ts';
import { builder, nodeType, objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { changeVisible } from '../root-fields.ts';
import { connectionOf, firstPageArgs } from './connection.ts';
import { mutationResult, orDeclared } from './errors.ts';
import { AlertGroupRef, SessionRef } from './refs.ts';

type ChannelKind = (typeof enums.NotificationChannelKind)['$inferType'];

/** Returns the kind of a channel in the spelling of the API. */
const kindOf = ({ kind }: { kind: string }) => kind.toUpperCase() as ChannelKind;

const NotificationDeliveryRef = builder.objectRef<NotificationDeliveryRow>('NotificationDelivery');

nodeType(NotificationDeliveryRef, 'One notification to one channel about one event.', (t) => ({
  channel: t.exposeString('channel', { description: 'Name of the channel in the configuration.' }),
  kind: t.field({
    type: enums.NotificationChannelKind,
    description: 'Kind of the channel.',
    resolve: kindOf,
  }),
  event: t.exposeString('event', {
    description: 'Event that it reports, such as `approval.requested`; `test` for a test.',
  }),
  session: t.field({
    type: SessionRef,
    nullable: true,
    description: 'Session of the event; null if the event concerns none.',
    resolve: ({ sessionId }, _args, { loaders }) =>
      sessionId == null ? null : loaders.session.load(sessionId),
  }),
  alertGroup: t.field({
    type: AlertGroupRef,
    nullable: true,
    description: 'Alert group of that session; null if there is none.',
    resolve: async ({ sessionId }, _args, { loaders }) => {
      const session = sessionId == null ? null : await loaders.session.load(sessionId);
      return session?.groupId == null ? null : loaders.alertGroup.load(session.groupId);
    },
  }),
  status: t.field({
    type: enums.DeliveryStatus,
    description: 'Status of the delivery.',
    resolve: ({ status }) => status,
  }),
  attempts: t.exposeInt('attempts', { description: 'Number of attempts so far.' }),
  nextAttemptAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When it is attempted next at the latest; null if it ended.',
    resolve: ({ status, dueAt }) => (status === 'PENDING' ? dueAt : null),
  }),
  lastError: t.exposeString('lastError', {
    nullable: true,
    description:
      'Code and reason of the last failure, or a remark about the delivery; at most 500 characters, masked. Null if there is none.',
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the event.' }),
  deliveredAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When the receiver accepted it; null if it did not.',
    resolve: ({ status, endedAt }) => (status === 'DELIVERED' ? endedAt : null),
  }),
}));

const NotificationChannel = objectType<NotificationChannelInfo>(
  'NotificationChannel',
  'A configured channel for notifications.',
  (t) => ({
    name: t.exposeString('name', { description: 'Name in the configuration.' }),
    kind: t.field({
      type: enums.NotificationChannelKind,
      description: 'Kind of the channel.',
      resolve: kindOf,
    }),
    target: t.exposeString('target', {
      description: 'Where it leads, without secrets: receivers, a host, or the variable that holds the URL.',
    }),
    events: t.stringList({
      description: 'Events that rules send to it.',
      resolve: ({ events }) => [...events],
    }),
    pending: t.exposeInt('pending', { description: 'Number of notifications that wait for delivery.' }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why it does not deliver; null if the last delivery succeeded or there was none.',
    }),
  }),
);

const Deliveries = connectionOf('NotificationDelivery', NotificationDeliveryRef as never, 'deliveries');

const delivery = (description: string) => ({ delivery: { type: NotificationDeliveryRef, description } });

const Redeliver = mutationResult('RedeliverNotification', [NotFoundError, ConflictError], {
  description: 'The notification is sent again.',
  field: delivery('The delivery.'),
});

const TestChannel = mutationResult('TestNotificationChannel', [NotFoundError], {
  description: 'A test notification is sent.',
  field: delivery('The delivery of the test.'),
});

builder.queryField('notificationDeliveries', (t) =>
  t.field({
    type: Deliveries,
    extensions: queryCost({ own: 10 }),
    description: 'Notifications that are sent or due, newest first.',
    args: {
      ...firstPageArgs(t.arg),
      channel: t.arg.string({ description: 'Only those of this channel. Default: all.' }),
      status: t.arg({
        type: [enums.DeliveryStatus],
        description: 'Only those with these statuses. Default: all.',
      }),
      sessionId: t.arg.id({ description: 'Only those of this session: global id or UUID. Default: all.' }),
    },
    resolve: (_root, args, { reads }) => reads.notificationDeliveries(args),
  }),
);

builder.queryField('notificationChannels', (t) =>
  t.field({
    type: [NotificationChannel],
    extensions: queryCost({ own: 10 }),
    description: 'The configured channels for notifications.',
    resolve: (_root, _args, { engine }) => engine.notificationChannels(),
  }),
);

builder.mutationField('redeliverNotification', (t) =>
  t.field({
    type: Redeliver.type,
    description:
      'Sends a notification again, with the same id; one that waits for its next attempt is sent now.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the delivery.' }) },
    resolve: (_root, { id }, context) =>
      changeVisible({ result: Redeliver, type: 'NotificationDelivery', id, context }, (key) =>
        context.engine.redeliverNotification(key, context.viewer),
      ),
  }),
);

builder.mutationField('testNotificationChannel', (t) =>
  t.field({
    type: TestChannel.type,
    description: 'Sends a test notification to a channel.',
    args: { name: t.arg.string({ required: true, description: 'Name of the channel.' }) },
    resolve: (_root, { name }, { engine, viewer }) =>
      orDeclared(engine.testNotificationChannel(name, viewer), TestChannel),
  }),
);
