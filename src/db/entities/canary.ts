import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';

/** A sign of life: an alert that shows by coming that alerts come, and, if it is our own, that they are investigated. */
export const Canary = defineEntity({
  name: 'Canary',
  tableName: 'canaries',
  properties: {
    source: p.text().primary(),
    rule: p.text().primary(), // that takes it as one; '' = our own
    arrivedAt: moment().nullable(),
    sessionId: p.uuid().nullable(), // its investigation, until that has ended and was looked at
    completedAt: moment().nullable(), // when the last ended well
    durationMs: p.integer().nullable(), // of that one, since its arrival
    error: p.text().nullable(), // of the last one
  },
});
export type CanaryRow = InferEntity<typeof Canary>;
