import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, moment } from './columns.ts';

/** A silence: matching alerts are stored but not investigated between its start and end. */
export const Silence = defineEntity({
  name: 'Silence',
  tableName: 'silences',
  properties: {
    id: id(),
    matchers: p.array().columnType('text[]'), // conditions on labels in Alertmanager's syntax
    teams: p.array().columnType('text[]').nullable(), // teams whose alerts are silenced, in addition to alerts without a team; null = all
    comment: p.text(),
    createdBy: p.text(),
    createdAt: createdAt(),
    startsAt: moment(),
    endsAt: moment(), // end of the silence; ending it early replaces this time
    endedBy: p.text().nullable(),
    matchedCount: p.bigint('number').default(0),
  },
  indexes: [{ name: 'silences_end', properties: ['endsAt', 'id'] }],
});
export type SilenceRow = InferEntity<typeof Silence>;
