import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';

/** The last canary of a source or rule. A canary proves that alerts arrive; TARSy's own is also investigated. */
export const Canary = defineEntity({
  name: 'Canary',
  tableName: 'canaries',
  properties: {
    source: p.text().primary(),
    rule: p.text().primary(), // intake rule that recognizes the alert as a canary; '' = TARSy's own canary
    arrivedAt: moment().nullable(),
    sessionId: p.uuid().nullable(), // session that investigates the canary; null once its outcome is recorded
    completedAt: moment().nullable(), // when the last successful investigation ended
    durationMs: p.integer().nullable(), // time from the arrival to that end (ms)
    error: p.text().nullable(), // problem of the last canary; null if none
  },
});
export type CanaryRow = InferEntity<typeof Canary>;
