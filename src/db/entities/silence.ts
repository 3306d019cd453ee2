import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, moment } from './columns.ts';

/** Alerts that match are kept, but not investigated, from its beginning to its end. */
export const Silence = defineEntity({
  name: 'Silence',
  tableName: 'silences',
  properties: {
    id: id(),
    matchers: p.array().columnType('text[]'), // in Alertmanager's syntax
    teams: p.array().columnType('text[]').nullable(), // that it covers besides what is of no team; null = every one
    comment: p.text(),
    createdBy: p.text(),
    createdAt: createdAt(),
    startsAt: moment(),
    endsAt: moment(), // ended early: when that was
    endedBy: p.text().nullable(),
    matchedCount: p.bigint('number').default(0),
  },
  indexes: [{ name: 'silences_end', properties: ['endsAt', 'id'] }],
});
export type SilenceRow = InferEntity<typeof Silence>;
