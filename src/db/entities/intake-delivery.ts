import { defineEntity, p } from '@mikro-orm/core';
import { id, moment } from './columns.ts';

/** One accepted delivery. Kept for a week, because senders retry for up to two days. */
export const IntakeDelivery = defineEntity({
  name: 'IntakeDelivery',
  tableName: 'intake_deliveries',
  properties: {
    id: id(),
    source: p.text(),
    deliveryKey: p.text().nullable(), // the sender's identifier, equal for retries
    receivedAt: moment(),
    alerts: p.integer(),
  },
  indexes: [
    {
      name: 'intake_deliveries_once',
      expression: `create unique index "intake_deliveries_once" on "intake_deliveries" ("source", "delivery_key") where "delivery_key" is not null`,
    },
    { name: 'intake_deliveries_source', properties: ['source', 'receivedAt'] },
  ],
});
