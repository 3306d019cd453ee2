import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { ALERT_STATES, INTAKE_OUTCOMES, SEVERITIES } from '../enums.ts';
import { id, moment, sqlIndexes } from './columns.ts';

/** Alerts of one source that are investigated together, from the first that fires until the last is resolved. */
export const AlertGroup = defineEntity({
  name: 'AlertGroup',
  tableName: 'alert_groups',
  properties: {
    id: id(),
    source: p.text(),
    groupKey: p.text(),
    title: p.text(),
    severity: p.enum([...SEVERITIES]),
    state: p.enum([...ALERT_STATES]),
    alertType: p.text(),
    team: p.text().nullable(), // team of its rule or chain when the group was opened
    alertCount: p.integer().default(0),
    firingCount: p.integer().default(0),
    flapping: p.boolean().default(false),
    lastOutcome: p.enum([...INTAKE_OUTCOMES]).nullable(), // outcome of the last decision that is not DUPLICATE
    // last investigation; no other starts until the group gets worse or this one is too old
    sessionId: p.uuid().nullable(), // no foreign key, because sessions refer to groups
    investigatedAt: moment().nullable(), // start of that investigation, by a session of the group or of a storm
    investigatedSeverity: p.enum([...SEVERITIES]).nullable(),
    investigatedNames: p.array().columnType('text[]').nullable(), // names of the investigated alerts, and ids of those without the label alertname
    longestGapMs: p.bigint('number').default(0), // longest pause between two deliveries (ms)
    openedAt: moment(),
    lastReceivedAt: moment(),
    resolvedAt: moment().nullable(), // null = open
    isStale: p.boolean().default(false), // true = closed because no delivery mentioned the group for too long
  },
  uniques: [
    { name: 'alert_groups_open', properties: ['source', 'groupKey'], where: 'resolved_at is null' }, // at most one open group per key
  ],
  indexes: [
    { name: 'alert_groups_key', properties: ['source', 'groupKey', 'openedAt'] },
    { name: 'alert_groups_page', properties: ['lastReceivedAt', 'id'] },
    { name: 'alert_groups_session', properties: ['sessionId'], where: 'session_id is not null' },
    ...sqlIndexes('alert_groups', {
      alert_groups_investigated: '(source, investigated_at) where investigated_at is not null', // to count recent investigations, which detects storms
      alert_groups_put_off: `(id) where resolved_at is null and last_outcome in ('SILENCED', 'FLAPPING', 'OVER_BUDGET')`, // groups whose investigation is postponed
    }),
  ],
});
export type AlertGroupRow = InferEntity<typeof AlertGroup>;
