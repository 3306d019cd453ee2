import { nodeType } from '../builder.ts';
import { enums } from '../enums.ts';
import { LARGE_VALUE } from '../query-cost.ts';
import { connectionOf } from './connection.ts';
import { AlertGroupRef, AlertRef } from './refs.ts';

nodeType(
  AlertRef,
  'One alert of one source. Deliveries with the same fingerprint belong to the same alert.',
  (t) => ({
    source: t.exposeString('source', { description: 'Name of the source.' }),
    fingerprint: t.exposeString('fingerprint', {
      description: 'Identifies the alert in all of its deliveries.',
    }),
    title: t.exposeString('title', { description: 'One line, masked.' }),
    severity: t.expose('severity', {
      type: enums.Severity,
      description: 'Severity from the source or the matching rule.',
    }),
    state: t.expose('state', { type: enums.AlertState, description: 'Current state.' }),
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
      description: 'Start time, as given by the source if it gives one.',
    }),
    endsAt: t.expose('endsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'End time; null while the alert is firing, and if it was closed as stale.',
    }),
    url: t.exposeString('url', {
      nullable: true,
      description: 'Page of the alert in the source; http or https only.',
    }),
    deliveries: t.expose('deliveries', { type: 'Long', description: 'Number of deliveries.' }),
    firstReceivedAt: t.expose('firstReceivedAt', {
      type: 'DateTime',
      description: 'When it was first received.',
    }),
    lastReceivedAt: t.expose('lastReceivedAt', {
      type: 'DateTime',
      description: 'When it was last received; late deliveries do not count.',
    }),
    group: t.field({
      type: AlertGroupRef,
      description: 'The most recent group of the alert.',
      resolve: ({ groupId }, _args, { loaders }) => loaders.alertGroup.load(groupId) as never,
    }),
  }),
);

export const AlertConnection = connectionOf('Alert', AlertRef as never, 'alerts');
