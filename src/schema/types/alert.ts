import { builder } from '../builder.ts';
import { AlertStateEnum, SeverityEnum } from '../enums.ts';
import { LARGE_VALUE } from '../query-cost.ts';
import { connectionOf } from './connection.ts';
import { AlertGroupRef, AlertRef } from './refs.ts';

builder.node(AlertRef, {
  description:
    'One alert of one source, however often it was told of: deliveries with the same fingerprint are one alert.',
  id: { resolve: ({ id }) => id },
  fields: (t) => ({
    source: t.exposeString('source', { description: 'Name of its source.' }),
    fingerprint: t.exposeString('fingerprint', { description: 'The same in each delivery about it.' }),
    title: t.exposeString('title', { description: 'One line, masked.' }),
    severity: t.expose('severity', { type: SeverityEnum, description: 'As the source says, or its rule.' }),
    state: t.expose('state', { type: AlertStateEnum, description: 'Whether it fires.' }),
    labels: t.expose('labels', {
      type: 'JSON',
      extensions: LARGE_VALUE,
      description: 'Text by name, masked.',
    }),
    annotations: t.expose('annotations', {
      type: 'JSON',
      extensions: LARGE_VALUE,
      description: 'Text by name, masked.',
    }),
    startsAt: t.expose('startsAt', {
      type: 'DateTime',
      description: 'When it began, by its source where that says it.',
    }),
    endsAt: t.expose('endsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was over; null while it fires.',
    }),
    url: t.exposeString('url', {
      nullable: true,
      description: 'Where the source shows it; http or https only.',
    }),
    deliveries: t.expose('deliveries', { type: 'Long', description: 'How often it was told of.' }),
    firstReceivedAt: t.expose('firstReceivedAt', {
      type: 'DateTime',
      description: 'When it was first told of.',
    }),
    lastReceivedAt: t.expose('lastReceivedAt', {
      type: 'DateTime',
      description: 'When it was last told of, but for what came late.',
    }),
    group: t.field({
      type: AlertGroupRef,
      description: 'The group that it was last part of.',
      resolve: ({ groupId }, _args, { loaders }) => loaders.alertGroup.load(groupId) as never,
    }),
  }),
});

export const AlertConnection = connectionOf('Alert', AlertRef as never, 'alerts');
