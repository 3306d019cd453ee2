import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { ALERT_STATES, SEVERITIES } from '../enums.ts';
import { AlertGroup } from './alert-group.ts';
import { id, moment, reference } from './columns.ts';

/** One alert of a source, identified by its fingerprint. Later deliveries of the alert update the row. */
export const Alert = defineEntity({
  name: 'Alert',
  tableName: 'alerts',
  properties: {
    id: id(),
    groupId: () => reference(AlertGroup, 'group_id'), // latest group of the alert
    source: p.text(),
    fingerprint: p.text(),
    title: p.text(),
    severity: p.enum([...SEVERITIES]),
    state: p.enum([...ALERT_STATES]),
    labels: p.json<Record<string, string>>(),
    annotations: p.json<Record<string, string>>(),
    url: p.text().nullable(),
    episode: p.text().nullable(), // the source's identifier of one firing period
    startsAt: moment(),
    sentStartsAt: moment().nullable(), // start as sent by the source; null if the source sends none
    endsAt: moment().nullable(),
    reportedAt: moment().nullable(), // time of the source's last report by the source's clock; null if the source sends none
    deliveries: p.bigint('number').default(1),
    firstReceivedAt: moment(),
    lastReceivedAt: moment(),
    excluded: p.boolean().default(false), // true = the rule that matched last excludes the alert from investigation
    rule: p.text().nullable(),
    objectId: p.text().nullable(), // the source's id of the object that write-backs note on, such as an incident
  },
  uniques: [{ name: 'alerts_fingerprint', properties: ['source', 'fingerprint'] }],
  indexes: [{ name: 'alerts_group', properties: ['groupId', 'state', 'startsAt', 'id'] }],
});
export type AlertRow = InferEntity<typeof Alert>;
