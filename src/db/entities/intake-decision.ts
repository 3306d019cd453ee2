import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { INTAKE_OUTCOMES } from '../enums.ts';
import { Alert } from './alert.ts';
import { AlertGroup } from './alert-group.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, id, moment, reference } from './columns.ts';
import { Silence } from './silence.ts';

/** A decision of the intake about an alert, an alert group or a refused delivery, with the reason. */
export const IntakeDecision = defineEntity({
  name: 'IntakeDecision',
  tableName: 'intake_decisions',
  properties: {
    id: id(),
    at: createdAt(),
    source: p.text(),
    outcome: p.enum([...INTAKE_OUTCOMES]),
    reason: p.text(),
    rule: p.text().nullable(),
    alertId: () => reference(Alert, 'alert_id').nullable(),
    groupId: () => reference(AlertGroup, 'group_id').nullable(),
    sessionId: () =>
      p.manyToOne(AlertSession).mapToPk().fieldName('session_id').deleteRule('set null').nullable(),
    silenceId: () => p.manyToOne(Silence).mapToPk().fieldName('silence_id').deleteRule('set null').nullable(),
    // set for refused deliveries: one row counts all with the same code in a minute, so that a sender cannot fill the
    // disk
    code: p.text().nullable(),
    minute: moment().nullable(),
    count: p.integer().default(1),
  },
  uniques: [
    {
      name: 'intake_decisions_rejected',
      properties: ['source', 'code', 'minute'],
      where: 'code is not null',
    },
  ],
  indexes: [
    { name: 'intake_decisions_page', properties: ['at', 'id'] },
    { name: 'intake_decisions_group', properties: ['groupId', 'at', 'id'] },
    { name: 'intake_decisions_alert', properties: ['alertId'], where: 'alert_id is not null' },
    { name: 'intake_decisions_session', properties: ['sessionId'], where: 'session_id is not null' },
    { name: 'intake_decisions_silence', properties: ['silenceId'], where: 'silence_id is not null' },
  ],
});
export type IntakeDecisionRow = InferEntity<typeof IntakeDecision>;
