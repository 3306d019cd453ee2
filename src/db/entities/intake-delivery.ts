import { defineEntity, p } from '@mikro-orm/core';
import { id, moment } from './columns.ts';

/** One accepted delivery. Kept for a week to recognize repetitions, because senders retry for up to two days. */
export const IntakeDelivery = defineEntity({
  name: 'IntakeDelivery',
  tableName: 'intake_deliveries',
  properties: {
    id: id(),
    source: p.text(),
    deliveryKey: p.text().nullable(), // the sender's id of the delivery, equal for retries; null if the sender gives none
    receivedAt: moment(),
    alerts: p.integer(),
  },
  uniques: [
    {
      name: 'intake_deliveries_once',
      properties: ['source', 'deliveryKey'],
      where: 'delivery_key is not null',
    },
  ],
  indexes: [{ name: 'intake_deliveries_source', properties: ['source', 'receivedAt'] }],
});
