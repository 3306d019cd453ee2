import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';

/** A canary: an alert whose arrival proves that alerts arrive and, for TARSy's own, that they are investigated. */
export const Canary = defineEntity({
  name: 'Canary',
  tableName: 'canaries',
  properties: {
    source: p.text().primary(),
    rule: p.text().primary(), // rule that recognises it; '' = TARSy's own canary
    arrivedAt: moment().nullable(),
    sessionId: p.uuid().nullable(), // its investigation, until its end has been checked
    completedAt: moment().nullable(), // when the last successful investigation ended
    durationMs: p.integer().nullable(), // of that investigation, from the arrival (ms)
    error: p.text().nullable(), // of the last investigation
  },
});
export type CanaryRow = InferEntity<typeof Canary>;
